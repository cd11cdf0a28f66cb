// A signal with a deadline: aborts with the outer signal's reason, or with Fault `deadline` when the time has expired.
import type { Clock } from './clock.ts'
import { Fault } from './fault.ts'

export type Deadline = Disposable & {
  readonly signal: AbortSignal
}

/** `signal` null: only the deadline aborts. Dispose it (`using`) after the work, to stop the timer. */
export function withDeadline(signal: AbortSignal | null, ms: number, clock: Clock): Deadline {
  const controller = new AbortController()
  const follow = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) follow()
  signal?.addEventListener('abort', follow, { once: true })
  const stopTimer = clock.after(ms, () => controller.abort(new Fault('deadline')))
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      stopTimer()
      signal?.removeEventListener('abort', follow)
    },
  }
}
