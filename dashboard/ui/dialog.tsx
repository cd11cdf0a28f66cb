// Modal dialog (HTML dialog element). It keeps the focus inside and closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Form, useSending } from './form.tsx'

type DialogProps = {
  readonly title: string
  onClose(): void
  readonly wide?: boolean
  /** Escape does not close it, because its content is shown once. */
  readonly firm?: boolean
  readonly children: ComponentChildren
}

/** Open for as long as it is rendered. */
export function Dialog({ title, onClose, wide = false, firm = false, children }: DialogProps) {
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
      class={wide ? 'wide' : ''}
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

/** Foot of a dialog without a form. `done`: text of a primary button that confirms that shown secrets are saved. */
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
  /** The action loses nothing: the button has the primary colour. */
  readonly harmless?: boolean
  onConfirm(): Promise<void>
  onClose(): void
}

/** Confirmation before an action that cannot be undone. Closes after the action. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, action, harmless = false, onConfirm, onClose } = props
  const sending = useSending()
  const send = async (): Promise<void> => {
    await onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        sending={sending}
        action={action}
        danger={!harmless}
        onSend={send}
        secondary={<Cancel onClose={onClose} />}
      >
        <div>{children}</div>
      </Form>
    </Dialog>
  )
}
