// What a key opens: networks, files, with the secret or without.
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
    title: 'File API',
    hint: 'add, cat, pin and the rest; always with the secret.',
  },
  {
    name: 'secretRequired',
    title: 'Ask for the secret on JSON-RPC too',
    hint: 'A call without it is refused. Not for keys in web pages.',
  },
  {
    name: 'gatewayPublic',
    title: 'What the account pins is open to everybody',
    hint: 'On the IPFS gateway, without a key.',
  },
  {
    name: 'gatewayPinnedOnly',
    title: 'Readers with this key get what the account pins, and nothing else',
  },
] as const

const asItIs = 'as-it-is'

export function AccessForm(props: SettingsFormProps) {
  const { apiKey } = props
  return (
    <SettingsForm
      {...props}
      title="Access"
      about="What the key opens, and what a call must bring."
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
            title="Ends"
            value={draft.end ?? asItIs}
            options={[
              {
                value: asItIs,
                title:
                  apiKey.expires === null ? 'Never' : `${formatTime(apiKey.expires)}, as it is`,
              },
              ...keyEnds.filter(({ value }) => value !== 'never' || apiKey.expires !== null),
            ]}
            error={draft.sending.of('expires')}
            onValue={(end) => draft.set({ end: end === asItIs ? null : end })}
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
        title="All, those that are added later too"
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
