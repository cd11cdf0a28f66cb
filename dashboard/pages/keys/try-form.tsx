// Dry run: checks a described request against the rules of the server, without charge.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { formatCount } from '../../app/format.ts'
import { useAccount } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card, Facts } from '../../ui/card.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { Note } from '../../ui/note.tsx'
import type { ApiKey } from './settings-form.tsx'

type DryRun = AdminReply<'POST /accounts/{account}/keys/{key}/try'>

const empty = { method: 'eth_call', network: '', address: '', origin: '', userAgent: '', ip: '' }

export function TryForm({
  apiKey,
  onShow,
}: {
  readonly apiKey: ApiKey
  /** Opens the tab with a setting of the key. */
  onShow(tab: SettingsTab): void
}) {
  const { id: account } = useAccount()
  const sending = useSending()
  const [face, setFace] = useState<'rpc' | 'files'>('rpc')
  const [secret, setSecret] = useState(false)
  const [texts, setTexts] = useState(empty)
  const [result, setResult] = useState<DryRun | null>(null)
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  const field = (name: keyof typeof empty, member: string = name) => ({
    value: texts[name],
    autocomplete: 'off',
    error: sending.of(member),
    onValue: (value: string) => setTexts({ ...texts, [name]: value }),
  })
  const send = async (): Promise<void> => {
    setResult(null)
    const { method, network, address, origin, userAgent, ip } = texts
    const isRpc = face === 'rpc'
    setResult(
      await call('POST /accounts/{account}/keys/{key}/try', {
        account,
        key: apiKey.id,
        face,
        method: method.trim(),
        secret,
        ...(isRpc && network !== '' ? { network } : {}),
        ...(isRpc && address !== '' ? { addresses: [address.trim()] } : {}),
        ...(origin === '' ? {} : { origin: origin.trim() }),
        ...(userAgent === '' ? {} : { userAgent }),
        ...(ip === '' ? {} : { ip: ip.trim() }),
      }),
    )
  }
  const networks = status.value?.networks ?? []
  return (
    <Card
      title="Test a request"
      about="Cairn checks it as a real call, in the same order, without charge."
    >
      <Form
        sending={sending}
        action="Test"
        fields={['method', 'addresses', 'ip', 'origin', 'userAgent']}
        onSend={send}
      >
        <div class="grid">
          <SelectField
            title="API"
            value={face}
            options={[
              { value: 'rpc', title: 'JSON-RPC' },
              { value: 'files', title: 'IPFS API' },
            ]}
            onValue={(chosen) => {
              setFace(chosen)
              setTexts({ ...texts, method: chosen === 'rpc' ? 'eth_call' : 'add' })
            }}
          />
          <TextField title={face === 'rpc' ? 'Method' : 'Command'} {...field('method')} />
          {face === 'rpc' && (
            <>
              <SelectField
                title="Network"
                value={texts.network}
                options={networks.map(({ name }, at) => ({
                  value: at === 0 ? '' : name,
                  title: at === 0 ? `${name} (the default)` : name,
                }))}
                onValue={(network) => setTexts({ ...texts, network })}
              />
              <TextField title="Contract" placeholder="0x…" {...field('address', 'addresses.0')} />
            </>
          )}
          <TextField title="Origin" placeholder="https://app.example.com" {...field('origin')} />
          <TextField title="User agent" {...field('userAgent')} />
          <TextField title="IP address" hint="If empty, not checked." {...field('ip')} />
        </div>
        <CheckField title="With the secret" value={secret} onValue={setSecret} />
      </Form>
      <div aria-live="polite">
        {result !== null && <ResultNote result={result} onShow={onShow} />}
      </div>
    </Card>
  )
}

const owners = {
  key: 'of this key',
  account: 'of the account',
  server: 'of the server',
  jwt: 'in the JWT',
  request: 'in the request',
} as const

export type SettingsTab = 'access' | 'limits' | 'lists' | 'jwt'

/** The tab with a setting of the key. */
function tabOf(setting: string): SettingsTab {
  if (setting.startsWith('allow')) return 'lists'
  if (setting.startsWith('jwt')) return 'jwt'
  return /Per|Bytes|Uploads$/.test(setting) ? 'limits' : 'access'
}

function ResultNote({
  result,
  onShow,
}: {
  readonly result: DryRun
  onShow(tab: SettingsTab): void
}) {
  const { passes, units, refusal, unjudged, left } = result
  const rule = refusal?.rule ?? null
  return (
    <Note tone={passes ? 'good' : 'bad'}>
      <p>
        <b>{passes ? 'Allowed.' : 'Refused.'}</b> {refusal?.message}
      </p>
      <Facts
        rows={[
          ...(refusal === null
            ? []
            : [
                [
                  'Setting',
                  refusal.rule === null
                    ? 'none'
                    : `${refusal.rule.setting}, ${owners[refusal.rule.of]}`,
                ] as const,
                ['HTTP status', String(refusal.status)] as const,
                ...(refusal.waitSeconds === null
                  ? []
                  : [['Retry after', `${refusal.waitSeconds} s`] as const]),
              ]),
          ['Units', formatCount(units, 'unit')],
          ...(left?.today === null || left === null
            ? []
            : [['Left today', formatCount(left.today, 'unit')] as const]),
        ]}
      />
      {rule?.of === 'key' && (
        <button class="button small" type="button" onClick={() => onShow(tabOf(rule.setting))}>
          Show the setting
        </button>
      )}
      {unjudged.length > 0 && (
        <p>
          Not checked, because the request has none: {unjudged.map((one) => lists[one]).join(', ')}.
        </p>
      )}
    </Note>
  )
}

const lists = { allowIps: 'IP addresses', allowAddresses: 'contracts' } as const
