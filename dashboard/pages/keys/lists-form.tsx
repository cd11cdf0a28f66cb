// Allowlists of a key: a call must match an entry of every list that is not empty.
import { AreaField, CheckField } from '../../ui/field.tsx'
import { SettingsForm, type Settings, type SettingsFormProps } from './settings-form.tsx'

type ListName = 'allowAddresses' | 'allowMethods' | 'allowOrigins' | 'allowUserAgents' | 'allowIps'

const lists: readonly {
  readonly name: ListName
  readonly title: string
  readonly hint: string
  readonly placeholder: string
}[] = [
  {
    name: 'allowAddresses',
    title: 'Contracts',
    hint: 'All contracts of a call must be listed.',
    placeholder: '0x…',
  },
  {
    name: 'allowMethods',
    title: 'Methods and IPFS commands',
    hint: 'Exact names.',
    placeholder: 'eth_call\npin/ls',
  },
  {
    name: 'allowOrigins',
    title: 'Origins',
    hint: 'Of web pages; *. matches subdomains. Requests without an Origin header, as of command-line tools, are refused.',
    placeholder: 'https://app.example.com\n*.example.com',
  },
  {
    name: 'allowUserAgents',
    title: 'User agents',
    hint: 'Any part of the User-Agent header.',
    placeholder: 'my-app/',
  },
  {
    name: 'allowIps',
    title: 'IP addresses',
    hint: 'Addresses and CIDR blocks.',
    placeholder: '203.0.113.7\n10.0.0.0/8',
  },
]

export function ListsForm(props: SettingsFormProps) {
  return (
    <SettingsForm
      {...props}
      title="Allowlists"
      about="A call must match every list that is not empty. One entry per line, at most 30."
      fields={lists.map(({ name }) => `settings.${name}`)}
    >
      {({ settings, set, sending }) => (
        <>
          <div class="grid wide">
            {lists.map(({ name, title, hint, placeholder }) => (
              <AreaField
                key={name}
                title={title}
                hint={hint}
                placeholder={placeholder}
                value={settings[name].join('\n')}
                error={sending.of(`settings.${name}`)}
                onValue={(text) => set({ [name]: entriesOf(text) } as Partial<Settings>)}
              />
            ))}
          </div>
          <CheckField
            title="Skip the allowlists for requests that carry the secret"
            value={settings.overrideWithSecret}
            onValue={(overrideWithSecret) => set({ overrideWithSecret })}
          />
        </>
      )}
    </SettingsForm>
  )
}

/** Keeps an empty last line while a person types; it is not sent. */
function entriesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}
