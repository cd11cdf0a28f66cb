// Short messages that disappear: a change was saved, or failed in the background. Announced by screen readers.
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'

type Toast = { readonly id: number; readonly text: string; readonly tone: 'good' | 'bad' }
export type ShowToast = (text: string, tone?: Toast['tone']) => void

const ToastContext = createContext<ShowToast>(() => {})
const shownMs = 5_000
const toastsMax = 3

export function useToast(): ShowToast {
  return useContext(ToastContext)
}

export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const show = useCallback<ShowToast>((text, tone = 'good') => {
    const id = performance.now()
    setToasts((were) => [...were, { id, text, tone }].slice(-toastsMax))
    setTimeout(() => setToasts((were) => were.filter((one) => one.id !== id)), shownMs)
  }, [])
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, tone }) => (
          <div key={id} class={`toast ${tone}`}>
            {text}
          </div>
        ))}
      </div>
    </ToastContext.Provider>
  )
}
