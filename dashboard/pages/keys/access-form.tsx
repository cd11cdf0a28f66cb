// Access of a key: name, expiry, networks, IPFS API, gateway, secret.
import { call } from '../../app/api.ts'
import { formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { CheckField, SelectField } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { keyEnds } from './key-end.ts'
import { SettingsForm, type SettingsDraft, type SettingsFormProps } from './settings-form.tsx'

const switches = [
  {
    name: 'files',
    title: 'IPFS API',
    hint: 'Commands such as add, cat and pin. Always requires the secret.',
  },
  {
    name: 'secretRequired',
    title: 'Require the secret for JSON-RPC',
    hint: 'Calls without it are refused. Not for keys in web pages.',
  },
  {
    name: 'devMethods',
    title: 'Development methods on the embedded chain',
    hint: 'Calls can change balances, code, time and blocks there (evm_, hardhat_, anvil_). Never on other networks.',
  },
  {
    name: 'gatewayPinnedOnly',
    title: 'Serve only pinned files through the gateway',
    hint: 'For requests with this key.',
  },
] as const

const keyProvides = [
  { value: 'all', title: 'As the account' },
  { value: 'roots', title: 'At most: public, roots are announced' },
  { value: 'none', title: 'Private' },
] as const

const unchanged = 'unchanged'

export function AccessForm(props: SettingsFormProps) {
  const { apiKey } = props
  return (
    <SettingsForm
      {...props}
      title="Access"
      about="APIs and networks of the key, and required credentials."
      fields={['name', 'expires']}
    >
      {(draft) => (
        <>
          <NameField
            value={draft.name}
            sending={draft.sending}
            onValue={(name) => draft.set({ name })}
          />
          <SelectField
            title="Expires"
            value={draft.end ?? unchanged}
            options={[
              {
                value: unchanged,
                title:
                  apiKey.expires === null ? 'Never' : `${formatTime(apiKey.expires)} (unchanged)`,
              },
              ...keyEnds.filter(({ value }) => value !== 'never' || apiKey.expires !== null),
            ]}
            error={draft.sending.of('expires')}
            onValue={(end) => draft.set({ end: end === unchanged ? null : end })}
          />
          <SelectField
            title="Pins of this key"
            hint="Narrows the setting of the account for pins that this key makes from now on."
            value={draft.settings.provide}
            options={keyProvides}
            onValue={(provide) => draft.set({ provide })}
          />
          <Networks {...draft} />
          {switches.map(({ name, ...texts }) => (
            <CheckField
              key={name}
              {...texts}
              value={draft.settings[name]}
              onValue={(value) => draft.set({ [name]: value })}
            />
          ))}
        </>
      )}
    </SettingsForm>
  )
}

function Networks({ settings, set }: SettingsDraft) {
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  const served = status.value?.networks.map(({ name }) => name) ?? []
  const chosen = settings.networks
  const names = [...new Set([...served, ...(chosen ?? [])])]
  return (
    <fieldset class="stack tight" id="networks">
      <legend class="field-title">Networks</legend>
      <CheckField
        title="All networks, including new ones"
        value={chosen === null}
        onValue={(all) => set({ networks: all ? null : served })}
      />
      {chosen !== null &&
        names.map((name) => (
          <CheckField
            key={name}
            title={name}
            value={chosen.includes(name)}
            onValue={(on) =>
              set({ networks: on ? [...chosen, name] : chosen.filter((one) => one !== name) })
            }
          />
        ))}
    </fieldset>
  )
}
