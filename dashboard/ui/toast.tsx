// Short messages that disappear: a change was saved, or failed in the background; some can be undone. Announced by screen readers.
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'

type Tone = 'good' | 'bad'
type Toast = {
  readonly id: number
  readonly text: string
  readonly tone: Tone
  readonly undo: (() => void) | null
}
/** `undo`: gives the message a button that runs it. */
type ShowToast = (text: string, tone?: Tone, undo?: () => void) => void

const ToastContext = createContext<ShowToast>(() => {})
const shownMs = 5_000
/** Long enough to read the message and reach the button. */
const undoMs = 10_000
const toastsMax = 3

export function useToast(): ShowToast {
  return useContext(ToastContext)
}

export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const drop = (id: number): void => setToasts((were) => were.filter((one) => one.id !== id))
  const show = useCallback<ShowToast>((text, tone = 'good', undo) => {
    const id = performance.now()
    setToasts((were) => [...were, { id, text, tone, undo: undo ?? null }].slice(-toastsMax))
    setTimeout(() => drop(id), undo === undefined ? shownMs : undoMs)
  }, [])
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, tone, undo }) => (
          <div key={id} class={`toast ${tone}`}>
            {text}
            {undo !== null && (
              <button
                class="button small"
                type="button"
                onClick={() => {
                  drop(id)
                  undo()
                }}
              >
                Undo
              </button>
            )}
          </div>
        ))}
      </div>
    </ToastContext.Provider>
  )
}
