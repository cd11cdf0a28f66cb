// Limits of a key per second, day and month.
import { call, messageOf } from '../../app/api.ts'
import { useAccount } from '../../app/session.tsx'
import { Note } from '../../ui/note.tsx'
import { useToast } from '../../ui/toast.tsx'
import { LimitField } from './limit-field.tsx'
import { type Plan, planOptions } from './plan-options.ts'
import { SettingsForm, type Settings, type SettingsFormProps } from './settings-form.tsx'

type LimitName = {
  [Name in keyof Settings]: Settings[Name] extends number | null ? Name : never
}[keyof Settings]

type Row = { readonly name: LimitName; readonly title: string; readonly unit?: number }

const mib = 1024 * 1024

const calls: readonly Row[] = [
  { name: 'unitsPerSecond', title: 'Units per second' },
  { name: 'unitsPerDay', title: 'Units per day (UTC)' },
]
const files: readonly Row[] = [
  { name: 'filesReadsPerSecond', title: 'Reads per second' },
  { name: 'filesWritesPerSecond', title: 'Writes per second' },
  { name: 'filesUploadBytesPerMonth', title: 'Uploaded per month (UTC), MiB', unit: mib },
  { name: 'filesDownloadBytesPerMonth', title: 'Downloaded per month (UTC), MiB', unit: mib },
  { name: 'filesStoredBytes', title: 'Stored by the account, MiB', unit: mib },
  { name: 'filesBodyBytes', title: 'Request body, MiB', unit: mib },
  { name: 'filesUploads', title: 'Concurrent resumable uploads' },
]

export function LimitsForm(props: SettingsFormProps) {
  return (
    <div class="stack">
      {props.mayChange && <Plans {...props} />}
      <SettingsForm
        {...props}
        title="Limits"
        about="Empty: no limit. 0: nothing is allowed."
        fields={[...calls, ...files].map(({ name }) => `settings.${name}`)}
      >
        {({ settings, set, sending }) =>
          [
            { title: 'JSON-RPC', rows: calls },
            { title: 'IPFS API', rows: files },
          ].map(({ title, rows }) => (
            <fieldset class="stack tight" key={title}>
              <legend class="field-title">{title}</legend>
              <div class="grid">
                {rows.map((row) => (
                  <LimitField
                    key={row.name}
                    title={row.title}
                    {...(row.unit === undefined ? {} : { unit: row.unit })}
                    value={settings[row.name]}
                    error={sending.of(`settings.${row.name}`)}
                    onValue={(value) => set({ [row.name]: value })}
                  />
                ))}
              </div>
            </fieldset>
          ))
        }
      </SettingsForm>
    </div>
  )
}

function Plans({ apiKey, onSaved }: SettingsFormProps) {
  const { id: account } = useAccount()
  const toast = useToast()
  const apply = async (plan: Plan): Promise<void> => {
    await call('PATCH /accounts/{account}/keys/{key}', {
      account,
      key: apiKey.id,
      plan,
    })
    onSaved()
    toast('Limits set')
  }
  return (
    <Note>
      <p>Set the limits of a plan:</p>
      <div class="row">
        {planOptions.map(({ value, title }) => (
          <button
            key={value}
            class="button small"
            type="button"
            title={title}
            onClick={() => {
              apply(value).catch((error: unknown) => toast(messageOf(error), 'bad'))
            }}
          >
            {title.split(':', 1)[0]}
          </button>
        ))}
      </div>
    </Note>
  )
}
