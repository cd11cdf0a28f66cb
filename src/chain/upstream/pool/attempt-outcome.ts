// The outcome of one content request to one upstream. The caller checks the reply by hash; the pool only acts on the
// outcome.

/**
 * Bytes that contradict a hash fixed by the request or the head. `expected`, `computed`: the values that differ, as
 * text.
 */
export type InvalidReplyEvidence = {
  readonly method: string
  readonly params: readonly unknown[]
  /** The result as received. */
  readonly response: unknown
  readonly expected: string
  readonly computed: string
  /** 32 bytes, when a block was named. */
  readonly blockHash: Uint8Array | null
}

/**
 * `taken`: it supplied the requested content. `absent`: it reports that no such block exists. `cannot`: it no longer
 * has the content, or cannot prove it at that depth. `failed`: no usable reply.
 */
export type AttemptOutcome =
  | 'taken'
  | 'absent'
  | 'cannot'
  | 'failed'
  | { readonly lie: InvalidReplyEvidence }
