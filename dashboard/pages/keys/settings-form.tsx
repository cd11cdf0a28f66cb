// Form for some settings of a key. Stores changes locally until they are saved, and sends only changed members.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { useAccount } from '../../app/session.tsx'
import { Card } from '../../ui/card.tsx'
import { Form, type Sending, useSending } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { endOf, type KeyEnd } from './key-end.ts'
import { checkLimits } from './limit-field.tsx'

export type ApiKey = AdminReply<'PATCH /accounts/{account}/keys/{key}'>['key']
export type Settings = ApiKey['settings']

export type SettingsFormProps = {
  readonly apiKey: ApiKey
  readonly mayChange: boolean
  onSaved(): void
}

type Changes = Partial<Settings> & { readonly name?: string; readonly end?: KeyEnd | null }

export type SettingsDraft = {
  readonly settings: Settings
  readonly name: string
  /** Null: unchanged. */
  readonly end: KeyEnd | null
  readonly sending: Sending
  set(changes: Changes): void
}

export function SettingsForm({
  apiKey,
  mayChange,
  onSaved,
  title,
  about,
  fields,
  unsaved,
  children,
}: SettingsFormProps & {
  readonly title: string
  readonly about?: ComponentChildren
  /** Members with a field in the form. */
  readonly fields: readonly string[]
  /** Text about unsaved changes; absent: none is shown. */
  readonly unsaved?: (before: Settings, after: Settings) => string
  readonly children: (draft: SettingsDraft) => ComponentChildren
}) {
  const { id: account } = useAccount()
  const toast = useToast()
  const sending = useSending()
  const [changes, setChanges] = useState<Changes>({})
  // Shows the saved settings until the page has reloaded them, so that the old ones do not flash.
  const [saved, setSaved] = useState<ApiKey | null>(null)
  useEffect(() => setSaved(null), [apiKey])
  const known = saved ?? apiKey
  const { name, end = null, ...settings } = changes
  const draft: SettingsDraft = {
    settings: { ...known.settings, ...settings },
    name: name ?? known.name,
    end,
    sending,
    set: (more) => setChanges((were) => ({ ...were, ...more })),
  }
  const send = async (): Promise<void> => {
    checkLimits(settings)
    const { key } = await call('PATCH /accounts/{account}/keys/{key}', {
      account,
      key: apiKey.id,
      ...(name === undefined ? {} : { name }),
      ...(end === null ? {} : { expires: endOf(end, Date.now()) }),
      settings: Object.fromEntries(
        Object.entries(settings).map(([member, value]) => [member, withoutBlanks(value)]),
      ),
    })
    setSaved(key)
    setChanges({})
    onSaved()
    toast('Saved')
  }
  return (
    <Card title={title} about={about}>
      <fieldset disabled={!mayChange}>
        {mayChange ? (
          <Form
            sending={sending}
            action="Save changes"
            idle={Object.keys(changes).length === 0 && sending.error === null}
            fields={fields}
            onSend={send}
            secondary={
              Object.keys(changes).length > 0 && (
                <>
                  <button class="button quiet" type="button" onClick={() => setChanges({})}>
                    Discard
                  </button>
                  {unsaved !== undefined && (
                    <small class="soft">{`Unsaved: ${unsaved(known.settings, draft.settings)}`}</small>
                  )}
                </>
              )
            }
          >
            {children(draft)}
          </Form>
        ) : (
          <div class="stack">{children(draft)}</div>
        )}
      </fieldset>
    </Card>
  )
}

/** Removes blank entries of a typed list. */
function withoutBlanks<Value>(value: Value): Value | readonly string[] {
  if (!Array.isArray(value)) return value
  return value.map((entry) => String(entry).trim()).filter((entry) => entry !== '')
}
