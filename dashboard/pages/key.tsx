// One API key: its figures, and tabs with its usage, access, limits, allowlists, public keys and a dry run; rotation, revocation.
// Tested by test/browser/keys.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatDay, formatNumber, formatShort, formatTime } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import type { PageProps } from '../app/pages.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { Figures, PageHead } from '../ui/card.tsx'
import { Menu } from '../ui/menu.tsx'
import { Note, Show } from '../ui/note.tsx'
import { Share, toneOf } from '../ui/share.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { percent } from '../usage/outcome-series.ts'
import { AccessForm } from './keys/access-form.tsx'
import { type KeyAction, KeyDialog, type UsedKey } from './keys/key-actions.tsx'
import { KeyOverview } from './keys/key-overview.tsx'
import { isInactive, KeyState } from './keys/key-state.tsx'
import { LimitsForm } from './keys/limits-form.tsx'
import { ListsForm } from './keys/lists-form.tsx'
import { TryForm } from './keys/try-form.tsx'
import { JwtPublicKeys } from './keys/public-keys.tsx'

export type KeyReply = AdminReply<'GET /accounts/{account}/keys/{key}'>

const tabs = [
  { name: 'overview', title: 'Overview' },
  { name: 'access', title: 'Access' },
  { name: 'limits', title: 'Limits' },
  { name: 'lists', title: 'Allowlists' },
  { name: 'jwt', title: 'Signed tokens' },
  { name: 'try', title: 'Test a request' },
] as const

type Tab = (typeof tabs)[number]['name']

const refreshMs = 15_000

export function KeyPage({ names }: PageProps) {
  const { id: account } = useAccount()
  const key = names['key'] ?? ''
  const loaded = useLoaded(
    (signal) => call('GET /accounts/{account}/keys/{key}', { account, key }, signal),
    [account, key],
  )
  const used = useLoaded(
    (signal) => call('GET /accounts/{account}/key-usage', { account }, signal),
    [account],
    { everyMs: refreshMs },
  )
  return (
    <>
      {loaded.value === undefined && (
        <PageHead title="Key" above={<Link to="/keys">API keys</Link>} />
      )}
      <Show loaded={loaded}>
        {(found) => (
          <Found
            found={found}
            used={used.value?.keys.find(({ id }) => id === key)}
            again={loaded.again}
          />
        )}
      </Show>
    </>
  )
}

function Found({
  found,
  used,
  again,
}: {
  readonly found: KeyReply
  readonly used: UsedKey | undefined
  again(): void
}) {
  const { key, publicKeys } = found
  const { query, path, go } = usePlace()
  const mayChange = useMay('owner') && !isInactive(key)
  const [action, setAction] = useState<KeyAction | null>(null)
  const tab = tabs.find(({ name }) => name === query.get('tab'))?.name ?? 'overview'
  const show = (name: Tab): void => go(`${path}?tab=${name}`, { replace: true })
  const form = { apiKey: key, mayChange, onSaved: again }
  const name = keyName(key)
  return (
    <>
      <PageHead
        title={key.name === '' ? `Key ${name}` : name}
        above={<Link to="/keys">API keys</Link>}
        actions={
          mayChange && (
            <>
              <button class="button" type="button" onClick={() => setAction('key')}>
                Rotate key
              </button>
              <Menu
                title={`More actions for ${name}`}
                items={[
                  { title: 'Rotate secret…', onChoose: () => setAction('secret') },
                  {
                    title: 'Requests',
                    icon: 'inspector',
                    onChoose: () => go(`/requests?key=${key.id}`),
                  },
                  { title: 'Usage', icon: 'usage', onChoose: () => go(`/usage?key=${key.id}`) },
                ]}
              />
            </>
          )
        }
      />
      <KeyFigures found={found} used={used} />
      {key.earlierSecretExpires !== null && key.earlierSecretExpires > Date.now() && (
        <Note tone="warn">
          The previous secret works until {formatTime(key.earlierSecretExpires)}.
        </Note>
      )}
      <Tabs title="About this key" tabs={tabs} chosen={tab} onChoose={show}>
        {tab === 'overview' && <KeyOverview apiKey={key} />}
        {tab === 'access' && <AccessForm {...form} />}
        {tab === 'limits' && <LimitsForm {...form} />}
        {tab === 'lists' && <ListsForm {...form} />}
        {tab === 'jwt' && <JwtPublicKeys {...form} publicKeys={publicKeys} />}
        {tab === 'try' && <TryForm apiKey={key} onShow={show} />}
      </Tabs>
      {mayChange && (
        <section class="card danger-zone">
          <div>
            <h2>Revoke key</h2>
            <p class="soft">Stops all calls with this key at once. Its files stay.</p>
          </div>
          <button class="button danger" type="button" onClick={() => setAction('revoke')}>
            Revoke {name}…
          </button>
        </section>
      )}
      {action !== null && (
        <KeyDialog
          action={action}
          apiKey={key}
          used={used}
          onChanged={again}
          onClose={() => setAction(null)}
        />
      )}
    </>
  )
}

function KeyFigures({
  found: { key },
  used,
}: {
  readonly found: KeyReply
  readonly used: UsedKey | undefined
}) {
  const limit = key.settings.unitsPerDay
  const today = used?.unitsToday ?? 0
  const part = limit === null ? 0 : limit === 0 ? 1 : today / limit
  return (
    <Figures
      rows={[
        {
          title: 'State',
          value: <KeyState apiKey={key} />,
          about: key.expires === null ? 'never expires' : `expires ${formatTime(key.expires)}`,
        },
        {
          title: 'Calls, 24 h',
          value: formatShort(used?.requests ?? 0),
          about: `${percent(used?.failed ?? 0, used?.requests ?? 0)} errors`,
        },
        {
          title: "Today's units",
          value: (
            <>
              {formatShort(today)}
              {limit !== null && <small> of {formatShort(limit)}</small>}
            </>
          ),
          about: limit === null ? 'no limit' : <Share part={part} tone={toneOf(part)} />,
        },
        {
          title: 'Rate',
          value:
            key.settings.unitsPerSecond === null
              ? 'No limit'
              : formatNumber(key.settings.unitsPerSecond),
          about: 'units per second',
        },
        {
          title: 'Starts with',
          value: <span class="mono">{key.prefix}…</span>,
          about:
            key.rotatedFrom === null ? (
              `created ${formatDay(key.created)}`
            ) : (
              <>
                replaces <Link to={`/keys/${key.rotatedFrom}`}>an older key</Link>
              </>
            ),
        },
      ]}
    />
  )
}
