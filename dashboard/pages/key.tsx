// One API key: access, limits, allowlists, public keys and a dry run; rotation and revocation.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatDay, formatTime } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import type { PageProps } from '../app/pages.ts'
import { Link } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { Card, Facts, PageHead } from '../ui/card.tsx'
import { Note, Show } from '../ui/note.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AccessForm } from './keys/access-form.tsx'
import { KeyActions } from './keys/key-actions.tsx'
import { isInactive, KeyState } from './keys/key-state.tsx'
import { LimitsForm } from './keys/limits-form.tsx'
import { ListsForm } from './keys/lists-form.tsx'
import { TryForm } from './keys/try-form.tsx'
import { JwtPublicKeys } from './keys/public-keys.tsx'

export type KeyReply = AdminReply<'GET /accounts/{account}/keys/{key}'>

const tabs = [
  { name: 'access', title: 'Access' },
  { name: 'limits', title: 'Limits' },
  { name: 'lists', title: 'Allowlists' },
  { name: 'jwt', title: 'Signed tokens' },
  { name: 'try', title: 'Test a request' },
] as const

export function KeyPage({ names }: PageProps) {
  const { id: account } = useAccount()
  const key = names['key'] ?? ''
  const loaded = useLoaded(
    (signal) => call('GET /accounts/{account}/keys/{key}', { account, key }, signal),
    [account, key],
  )
  return (
    <>
      <p>
        <Link to="/keys">API keys</Link>
      </p>
      {loaded.value === undefined && <PageHead title="Key" />}
      <Show loaded={loaded}>{(found) => <Found found={found} again={loaded.again} />}</Show>
    </>
  )
}

function Found({ found, again }: { readonly found: KeyReply; again(): void }) {
  const { key, publicKeys } = found
  const mayChange = useMay('owner') && !isInactive(key)
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('access')
  const form = { apiKey: key, mayChange, onSaved: again }
  return (
    <>
      <PageHead
        title={key.name === '' ? `Key ${keyName(key)}` : key.name}
        actions={mayChange && <KeyActions apiKey={key} onChanged={again} />}
      />
      <Card>
        <Facts
          across
          rows={[
            ['State', <KeyState key="state" apiKey={key} />],
            [
              'Starts with',
              <span key="prefix" class="mono">
                {key.prefix}…
              </span>,
            ],
            ['Created', formatDay(key.created)],
            ['Last used', key.lastUsedDay ?? 'never'],
            ['Expires', key.expires === null ? 'never' : formatTime(key.expires)],
            ...(key.rotatedFrom === null
              ? []
              : ([
                  [
                    'Replaces',
                    <Link key="from" to={`/keys/${key.rotatedFrom}`}>
                      an older key
                    </Link>,
                  ],
                ] as const)),
          ]}
        />
        {key.earlierSecretExpires !== null && key.earlierSecretExpires > Date.now() && (
          <Note tone="warn">
            The previous secret works until {formatTime(key.earlierSecretExpires)}.
          </Note>
        )}
      </Card>
      <Tabs title="Settings" tabs={tabs} chosen={tab} onChoose={setTab}>
        {tab === 'access' && <AccessForm {...form} />}
        {tab === 'limits' && <LimitsForm {...form} />}
        {tab === 'lists' && <ListsForm {...form} />}
        {tab === 'jwt' && <JwtPublicKeys {...form} publicKeys={publicKeys} />}
        {tab === 'try' && <TryForm apiKey={key} onShow={setTab} />}
      </Tabs>
    </>
  )
}
