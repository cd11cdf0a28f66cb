// What asking one upstream for content came to. Judged by who asked, by hash; the pool only acts on it.

/** Bytes that contradict a hash the request or the head has fixed. `expected`, `computed`: what differs, as text. */
export type InvalidReplyEvidence = {
  readonly method: string
  readonly params: readonly unknown[]
  /** The result as it came. */
  readonly response: unknown
  readonly expected: string
  readonly computed: string
  /** 32 bytes, when a block was named. */
  readonly blockHash: Uint8Array | null
}

/**
 * `taken`: it brought what was asked. `absent`: it says there is no such block. `cannot`: it cannot have it, or cannot
 * prove it that deep. `failed`: nothing usable came.
 */
export type AttemptOutcome =
  | 'taken'
  | 'absent'
  | 'cannot'
  | 'failed'
  | { readonly lie: InvalidReplyEvidence }
