// Form that sends one request at a time to the API. Errors of a field are shown at the field, which gets the focus. Other errors
// are shown above the button.
// Tested by test/browser/forms.test.ts
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, messageOf } from '../app/api.ts'
import { Note } from './note.tsx'

export type Sending = {
  readonly busy: boolean
  readonly error: ApiError | null
  /** Error text of the member with this name; null: none. */
  of(field: string): string | null
  /** Runs `work` unless another run is in progress. Resolves with true on success. */
  run(work: () => Promise<void>): Promise<boolean>
  clear(): void
}

export function useSending(): Sending {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  return {
    busy,
    error,
    of: (field) => (error !== null && isAbout(error, field) ? textOf(error, field) : null),
    clear: () => setError(null),
    async run(work) {
      if (busy) return false
      setBusy(true)
      setError(null)
      try {
        await work()
        return true
      } catch (thrown) {
        setError(
          thrown instanceof ApiError ? thrown : new ApiError('internal', messageOf(thrown), 0, {}),
        )
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

/** Whether the error concerns the member or an entry of its list. */
function isAbout({ field }: ApiError, name: string): boolean {
  return field === name || field?.startsWith(`${name}.`) === true
}

/** The message without the leading member name, which the field shows. Entries of a list are named by their number. */
function textOf({ field, message }: ApiError, fieldName: string): string {
  const path = field?.split('.') ?? []
  const entry = /^\d+$/.test(path.at(-1) ?? '') ? Number(path.pop()) + 1 : null
  const start = [`${field}: `, `${path.at(-1)}: `, `${path.at(-1)} `].find((one) =>
    message.startsWith(one),
  )
  const text = message.slice(start?.length ?? 0)
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return entry === null || field === fieldName ? sentence : `Entry ${entry}: ${sentence}`
}

type FormProps = {
  readonly sending: Sending
  /** Text of the submit button. */
  readonly action: string
  onSend(): Promise<void>
  /** Members with a field in this form, such as `settings.allowIps`. Their errors are shown at the field. */
  readonly fields?: readonly string[]
  readonly children: ComponentChildren
  /** Inputs in one row with the button, above the fields. Absent: the button is below them. */
  readonly toolbar?: ComponentChildren
  /** Secondary buttons. */
  readonly secondary?: ComponentChildren
  readonly wide?: boolean
  /** True while nothing is changed: the buttons are hidden. */
  readonly idle?: boolean
  /** Field values are loading: the form cannot be sent yet. */
  readonly waits?: boolean
  /** The action cannot be undone, so its button is red. */
  readonly danger?: boolean
}

export function Form(props: FormProps) {
  const {
    sending,
    action,
    onSend,
    fields = [],
    children,
    toolbar,
    secondary,
    wide = false,
    danger = false,
    idle = false,
    waits = false,
  } = props
  const { error } = sending
  const atField = error !== null && fields.some((field) => isAbout(error, field))
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (atField) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  const placed = toolbar === undefined ? '' : ' end'
  const button = (
    <button
      class={`button ${danger ? 'danger-primary' : 'primary'}${wide ? ' block' : ''}${placed}`}
      type="submit"
      disabled={sending.busy || waits}
    >
      {action}
    </button>
  )
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void sending.run(onSend)
      }}
    >
      {toolbar !== undefined && (
        <div class="toolbar wraps">
          {toolbar}
          {button}
        </div>
      )}
      {children}
      {error !== null && !atField && <Note tone="bad">{error.message}</Note>}
      {toolbar === undefined && (
        <div class="row" hidden={idle}>
          {button}
          {secondary}
        </div>
      )}
    </form>
  )
}
