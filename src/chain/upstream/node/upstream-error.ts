// The reason why a call to an upstream returned no result. All texts may be shown, because secrets were redacted before.
// Tested by src/chain/upstream/node/classify-error.test.ts

/**
 * - `rate_limit`, `billing`, `credentials`: the upstream refuses all calls of the operator's account.
 * - `range`: the answer would be too large. `no_tag`: it does not know this block tag.
 * - `proof_window`: it has the value but cannot prove it at that depth. `pruned`, `missing_state`: it no longer has it.
 * - `unknown_block`, `not_canonical`: it does not have this block, or reports it as not canonical.
 * - `execution`: an error of the EVM (revert, out of gas). `already_known`, `nonce_too_low`: about a transaction sent before.
 * - `unsupported`: not this method. `client_fault`: not these params.
 * - `trouble`: it, or the connection to it, failed; no information about the request.
 * - `not_asked`: nothing was sent: busy, resting after failures, quarantined, closed.
 * - `other`: a node's error that matches no row of classify-error.ts.
 */
export type UpstreamErrorKind =
  | 'rate_limit'
  | 'billing'
  | 'credentials'
  | 'range'
  | 'no_tag'
  | 'proof_window'
  | 'pruned'
  | 'missing_state'
  | 'unknown_block'
  | 'not_canonical'
  | 'execution'
  | 'already_known'
  | 'nonce_too_low'
  | 'unsupported'
  | 'client_fault'
  | 'trouble'
  | 'not_asked'
  | 'other'

/** True if it stores such data, but not for a block at that depth. */
export function isTooDeep(kind: UpstreamErrorKind | null): boolean {
  return kind === 'proof_window' || kind === 'missing_state' || kind === 'pruned'
}

/** Progress of the exchange: nothing was sent; sent without a response; a response had begun. */
export type ExchangePhase = 'unsent' | 'sent' | 'answering'

export type UpstreamErrorParts = {
  readonly kind: UpstreamErrorKind
  readonly phase: ExchangePhase
  readonly message: string
  /** JSON-RPC error code, if the upstream returned one. */
  readonly code?: number
  /** JSON-RPC error data as received. */
  readonly data?: unknown
  /** HTTP status, if a response had begun. */
  readonly status?: number
  /** The upstream's Retry-After. */
  readonly retryAfterMs?: number
  /** The only failure was a timeout. */
  readonly timedOut?: boolean
  /** The only failure was the size of the reply. */
  readonly tooLarge?: boolean
  readonly cause?: unknown
}

/** Errors without information about the call. */
const ofUpstream: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate_limit',
  'billing',
  'credentials',
  'not_asked',
])

/** JSON-RPC 2.0, and EIP-1474 ("method is not implemented"), which chain engines for development use. */
export function isAboutMethod(code: number | null): boolean {
  return code === -32601 || code === -32004
}

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly kind: UpstreamErrorKind
  readonly phase: ExchangePhase
  readonly code: number | null
  readonly data: unknown
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly timedOut: boolean
  readonly tooLarge: boolean

  constructor(parts: UpstreamErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.kind = parts.kind
    this.phase = parts.phase
    this.code = parts.code ?? null
    this.data = parts.data
    this.status = parts.status ?? null
    this.retryAfterMs = parts.retryAfterMs ?? null
    this.timedOut = parts.timedOut ?? false
    this.tooLarge = parts.tooLarge ?? false
  }

  /**
   * True if a node answered this call with a JSON-RPC error of its own. False if it refuses all calls or lacks the method, or if a
   * proxy replied instead.
   */
  get isAboutCall(): boolean {
    const { code, kind, status } = this
    if (code === null || ofUpstream.has(kind)) return false
    if (kind === 'unsupported') return !isAboutMethod(code)
    return kind !== 'trouble' || status === null || status <= 500
  }
}
