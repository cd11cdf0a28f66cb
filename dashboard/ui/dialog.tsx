// A dialog over the page: the browser's own, which keeps the focus inside and closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Form, useSending } from './form.tsx'

type DialogProps = {
  readonly title: string
  onClose(): void
  readonly wide?: boolean
  /** Escape leaves it open: it shows what is never shown again. */
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
        // The browser closes at a second Escape whatever `cancel` says.
        if (firm && event.key === 'Escape') event.preventDefault()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Beside the button of a form in a dialog. */
export function Cancel({ onClose }: { onClose(): void }) {
  return (
    <button class="button" type="button" onClick={onClose}>
      Cancel
    </button>
  )
}

/** Under what a dialog shows, where it is no form. `kept`: what was shown is not shown again, and its person says that they have it. */
export function DialogFoot({
  kept = null,
  onClose,
  children,
}: {
  readonly kept?: string | null
  onClose(): void
  readonly children?: ComponentChildren
}) {
  return (
    <div class="dialog-foot">
      {children}
      <button class={`button${kept === null ? '' : ' primary'}`} type="button" onClick={onClose}>
        {kept ?? 'Close'}
      </button>
    </div>
  )
}

type ConfirmProps = {
  readonly title: string
  readonly children: ComponentChildren
  /** The text of the button: a verb and the name of the thing. */
  readonly action: string
  /** Nothing is lost by it: the button has the plain colour. */
  readonly harmless?: boolean
  onConfirm(): Promise<void>
  onClose(): void
}

/** Asks before something that cannot be taken back; closes when it is done. */
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
        beside={<Cancel onClose={onClose} />}
      >
        <div>{children}</div>
      </Form>
    </Dialog>
  )
}
