// Loads data of the API when a page is shown, again on request, and optionally at an interval.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ApiError, messageOf } from './api.ts'

export type Loaded<Value> = {
  /** The last reply; undefined until the first one. */
  readonly value: Value | undefined
  /** Error of the last attempt; null: it succeeded. */
  readonly error: ApiError | null
  readonly busy: boolean
  again(): void
}

/**
 * Calls `load` when `deps` change, every `everyMs` milliseconds while the page is visible, and when it becomes visible again. Drops
 * replies to outdated requests.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  deps: readonly unknown[],
  { everyMs = null }: { readonly everyMs?: number | null } = {},
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'again'>>({
    value: undefined,
    error: null,
    busy: true,
  })
  const [round, setRound] = useState(0)
  const again = useCallback(() => setRound((count) => count + 1), [])
  useEffect(() => {
    const controller = new AbortController()
    setState((was) => ({ ...was, busy: true }))
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, error: null, busy: false })
      },
      (thrown: unknown) => {
        if (controller.signal.aborted) return
        const error =
          thrown instanceof ApiError ? thrown : new ApiError('internal', messageOf(thrown), 0, {})
        setState((was) => ({ ...was, error, busy: false }))
      },
    )
    return () => controller.abort()
  }, [...deps, round])
  useEffect(() => {
    if (everyMs === null) return undefined
    const refresh = (): void => {
      if (document.visibilityState === 'visible') again()
    }
    const timer = setInterval(refresh, everyMs)
    // When the page becomes visible, its values are old.
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [everyMs])
  return { ...state, again }
}
