// Modal dialog (HTML dialog element). It keeps the focus inside and closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { TextField } from './field.tsx'
import { useSending } from './form.tsx'
import { Note } from './note.tsx'

type DialogProps = {
  readonly title: string
  onClose(): void
  readonly look?: 'wide' | 'palette'
  /** Escape does not close it, because its content is shown once. */
  readonly firm?: boolean
  readonly children: ComponentChildren
}

/** Open while it is rendered. */
export function Dialog({ title, onClose, look, firm = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={look ?? ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!firm) onClose()
      }}
      onKeyDown={(event) => {
        // A second Escape closes the dialog even if `cancel` was prevented.
        if (firm && event.key === 'Escape') event.preventDefault()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Secondary button of a form in a dialog. */
export function Cancel({ onClose }: { onClose(): void }) {
  return (
    <button class="button" type="button" onClick={onClose}>
      Cancel
    </button>
  )
}

/** Footer of a dialog without a form. `done`: text of a primary button that confirms that shown secrets are saved. */
export function DialogFoot({
  done = null,
  onClose,
  children,
}: {
  readonly done?: string | null
  onClose(): void
  readonly children?: ComponentChildren
}) {
  return (
    <div class="dialog-foot">
      {children}
      <button class={`button${done === null ? '' : ' primary'}`} type="button" onClick={onClose}>
        {done ?? 'Close'}
      </button>
    </div>
  )
}

type ConfirmProps = {
  readonly title: string
  readonly children: ComponentChildren
  /** Text of the button: a verb and the name of the object. */
  readonly action: string
  /** Text of the button that changes nothing: `Keep key`. It has the initial focus. */
  readonly keep?: string
  /** The action destroys nothing: the button has the primary colour. */
  readonly harmless?: boolean
  /** Text that must be typed first: the name or the number of the objects to destroy. */
  readonly typed?: string
  onConfirm(): Promise<void>
  onClose(): void
}

/** Confirmation before an action that cannot be undone. Closes after the action. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, action, keep, harmless = false, typed, onConfirm, onClose } = props
  const sending = useSending()
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim() === typed
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="soft">{children}</div>
      {typed !== undefined && (
        <TextField
          title={`Type ${typed} to confirm`}
          value={text}
          autocomplete="off"
          onValue={setText}
        />
      )}
      {sending.error !== null && <Note tone="bad">{sending.error.message}</Note>}
      <div class="dialog-foot">
        <button class="button" type="button" autofocus onClick={onClose}>
          {keep ?? 'Cancel'}
        </button>
        <button
          class={`button ${harmless ? 'primary' : 'danger-primary'}`}
          type="button"
          disabled={sending.busy || !isTyped}
          onClick={() =>
            void sending.run(async () => {
              await onConfirm()
              onClose()
            })
          }
        >
          {action}
        </button>
      </div>
    </Dialog>
  )
}
