// Limits of a key per second, day and month, with its usage.
// Tested by test/browser/keys.test.ts
import { call, messageOf } from '../../app/api.ts'
import { formatNumber } from '../../app/format.ts'
import { useAccount } from '../../app/session.tsx'
import { Note } from '../../ui/note.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { ComponentChildren } from 'preact'
import { Link } from '../../app/router.tsx'
import { LimitField } from './limit-field.tsx'
import { BytesUsed, type LimitUse, TypicalCalls, UnitsUsed, useLimitUse } from './limit-use.tsx'
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
  const use = useLimitUse(props.apiKey.id)
  return (
    <div class="stack">
      {props.mayChange && <Plans {...props} />}
      <SettingsForm
        {...props}
        title="Limits"
        about="Empty: no limit. 0: nothing is allowed."
        fields={[...calls, ...files].map(({ name }) => `settings.${name}`)}
        unsaved={unsavedText}
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
                    hint={hintOf(row.name, settings[row.name], use)}
                    error={sending.of(`settings.${row.name}`)}
                    onValue={(value) => set({ [row.name]: value })}
                  />
                ))}
              </div>
            </fieldset>
          ))
        }
      </SettingsForm>
      <Note>
        <p>
          Above a rate, callers get 429 and the time to wait. When the units of the day or the bytes
          of the month are used up, they get 402 from JSON-RPC and 403 from the IPFS API.{' '}
          <Link to="/settings?tab=alerts">Change alerts</Link>
        </p>
      </Note>
    </div>
  )
}

/** The changed limits, old and new. */
function unsavedText(before: Settings, after: Settings): string {
  const shown = (value: number | null, unit = 1): string =>
    value === null ? 'no limit' : Number.isNaN(value) ? 'invalid' : formatNumber(value / unit)
  return [...calls, ...files]
    .filter(({ name }) => before[name] !== after[name])
    .map(({ name, title, unit }) => {
      const words = title.replace(' (UTC)', '')
      return `${words}: ${shown(before[name], unit)} → ${shown(after[name], unit)}`
    })
    .join('; ')
}

/** `use` null: not loaded. */
function hintOf(name: LimitName, value: number | null, use: LimitUse | null): ComponentChildren {
  if (name === 'unitsPerSecond') return <TypicalCalls value={value} />
  if (use === null) return undefined
  switch (name) {
    case 'unitsPerDay':
      return <UnitsUsed use={use} limit={value} />
    case 'filesUploadBytesPerMonth':
      return <BytesUsed used={use.uploaded} limit={value} when="this month" />
    case 'filesDownloadBytesPerMonth':
      return <BytesUsed used={use.downloaded} limit={value} when="this month" />
    case 'filesStoredBytes':
      return <BytesUsed used={use.stored} limit={value} when="now" />
    case 'filesBodyBytes':
    case 'filesReadsPerSecond':
    case 'filesWritesPerSecond':
    case 'filesUploads':
      return undefined
  }
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
