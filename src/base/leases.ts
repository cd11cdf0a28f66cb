// Exclusive rights that expire, for work that only one process of a service may do at a time. A single process always holds every
// lease.
// Tested by test/suites/leases.suite.ts through src/base/leases.test.ts, src/db/postgres/postgres-leases.test.ts

/**
 * `token`: increases with each holder, so that a late write of an earlier holder can be refused (fencing). `signal`: aborts when
 * the lease ends, before another process can hold it.
 */
export type ActiveLease = { readonly token: bigint; readonly signal: AbortSignal }

export interface Leases {
  /**
   * Calls `run` whenever this process holds the lease. `run` lasts until its signal aborts. If it ends earlier or fails, the lease
   * is released and requested again later. The returned function stops all of it, and resolves when `run` has ended.
   */
  hold(name: string, run: (lease: ActiveLease) => Promise<void>): () => Promise<void>
}

/** Leases of a single process. `onError`: receives an error of `run`, which is not run again. */
export function createLocalLeases(onError: (name: string, error: unknown) => void): Leases {
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
 * As `Leases.hold`, for work with a start and a stop function: `begin` starts it and returns its stop function.
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
