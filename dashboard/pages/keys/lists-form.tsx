// The allowlists of a key: a call must pass every list that is set, by one entry of each.
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
    hint: 'Every contract that a call is about must be one of these.',
    placeholder: '0x…',
  },
  {
    name: 'allowMethods',
    title: 'Methods and file commands',
    hint: 'By their exact names.',
    placeholder: 'eth_call\npin/ls',
  },
  {
    name: 'allowOrigins',
    title: 'Origins',
    hint: 'Of web pages; *. stands for subdomains. Command-line tools send none and are then refused.',
    placeholder: 'https://app.example.com\n*.example.com',
  },
  {
    name: 'allowUserAgents',
    title: 'User agents',
    hint: 'A part of it is enough.',
    placeholder: 'my-app/',
  },
  {
    name: 'allowIps',
    title: 'IP addresses',
    hint: 'Single ones and blocks.',
    placeholder: '203.0.113.7\n10.0.0.0/8',
  },
]

export function ListsForm(props: SettingsFormProps) {
  return (
    <SettingsForm
      {...props}
      title="Allowlists"
      about="A call must pass every list that is set; an empty list lets everything pass. One entry a line, 30 at most."
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
            title="The lists do not hold for whoever sends the secret"
            value={settings.overrideWithSecret}
            onValue={(overrideWithSecret) => set({ overrideWithSecret })}
          />
        </>
      )}
    </SettingsForm>
  )
}

/** An empty last line stays while it is typed on; it is not sent. */
function entriesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}
