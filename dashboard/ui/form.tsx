// A form that sends to the API: one try at a time, errors of a field at the field, others above the button.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError, messageOf } from '../app/api.ts'
import { Note } from './note.tsx'

export type Sending = {
  readonly busy: boolean
  readonly error: ApiError | null
  /** What is wrong with the member of that name; null: nothing. */
  of(field: string): string | null
  /** Runs `work` unless it runs already; true when it went well. */
  run(work: () => Promise<void>): Promise<boolean>
  clear(): void
}

export function useSending(): Sending {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  return {
    busy,
    error,
    of: (field) => (error !== null && error.field === field ? textOf(error) : null),
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

/** Without the name of the member in front, for it stands at the field. */
function textOf(error: ApiError): string {
  const start = `${error.field}: `
  const text = error.message.startsWith(start) ? error.message.slice(start.length) : error.message
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type FormProps = {
  readonly sending: Sending
  /** What the form does; its button says it. */
  readonly action: string
  onSend(): Promise<void>
  /** Members that have a field here: their errors are shown there. */
  readonly fields?: readonly string[]
  readonly children: ComponentChildren
  /** Beside the button. */
  readonly beside?: ComponentChildren
  readonly wide?: boolean
}

export function Form(props: FormProps) {
  const { sending, action, onSend, fields = [], children, beside, wide = false } = props
  const { error } = sending
  const atField = error?.field !== null && error !== null && fields.includes(error.field ?? '')
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void sending.run(onSend)
      }}
    >
      {children}
      {error !== null && !atField && <Note tone="bad">{error.message}</Note>}
      <div class="row">
        <button
          class={`button primary${wide ? ' block' : ''}`}
          type="submit"
          disabled={sending.busy}
        >
          {action}
        </button>
        {beside}
      </div>
    </form>
  )
}
