// Exclusive rights that expire: work of which one process of a service does its share at a time. One process alone holds every
// lease always.
// Tested by test/suites/leases.suite.ts through src/base/leases.test.ts, src/db/postgres/postgres-leases.test.ts

/**
 * `token`: rises with each holder, so that a write of an earlier holder can be refused (fencing). `signal`: aborts when the lease
 * ends, before another process can hold it.
 */
export type HeldLease = { readonly token: bigint; readonly signal: AbortSignal }

export interface Leases {
  /**
   * Runs `run` whenever this process holds the lease. `run` lasts until its signal aborts; if it ends earlier or fails, the
   * lease is given up and tried for again later. The returned function ends all of it, and resolves when `run` has ended.
   */
  hold(name: string, run: (lease: HeldLease) => Promise<void>): () => Promise<void>
}

/** Of a single process. `onError`: of `run`, which is not run again. */
export function createHeldLeases(onError: (name: string, error: unknown) => void): Leases {
  return {
    hold(name, run) {
      const stopping = new AbortController()
      const running = run({ token: 1n, signal: stopping.signal }).catch((error: unknown) =>
        onError(name, error),
      )
      return async () => {
        stopping.abort()
        await running
      }
    },
  }
}

/**
 * As `Leases.hold`, for work that begins and stops by itself: `begin` starts it and returns its stop.
 */
export function holdWhile(
  leases: Leases,
  name: string,
  begin: (token: bigint) => () => Promise<void> | void,
): () => Promise<void> {
  return leases.hold(name, async ({ token, signal }) => {
    const stop = begin(token)
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    await stop()
  })
}
