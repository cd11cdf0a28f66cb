// Why a call to an upstream brought no result. Everything in it may be shown: secrets are taken out before.
// Tested by src/chain/upstream/node/classify-error.test.ts

/**
 * - `rate_limit`, `billing`, `credentials`: the upstream refuses us, whatever is asked.
 * - `range`: the answer would be too large. `no_tag`: it does not know this block tag.
 * - `proof_window`: it has the value but cannot prove that deep. `pruned`, `missing_state`: it no longer has it.
 * - `unknown_block`, `not_canonical`: it does not have this block, or calls it an orphan.
 * - `execution`: the EVM's own answer (revert, out of gas). `already_known`, `nonce_too_low`: about a transaction sent before.
 * - `unsupported`: not this method. `client_fault`: not these params.
 * - `trouble`: it, or the way to it, failed; says nothing about what was asked.
 * - `not_asked`: nothing was sent: busy, resting after failures, quarantined, closed.
 * - `other`: an answer of the node that no row of `classify-error.ts` knows.
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

/** It has such things, but not of a block so far back. */
export function isTooDeep(kind: UpstreamErrorKind | null): boolean {
  return kind === 'proof_window' || kind === 'missing_state' || kind === 'pruned'
}

/** How far the exchange got: nothing was sent; sent, and nothing came back; an answer had begun. */
export type ExchangePhase = 'unsent' | 'sent' | 'answering'

export type UpstreamErrorParts = {
  readonly kind: UpstreamErrorKind
  readonly phase: ExchangePhase
  readonly message: string
  /** JSON-RPC error code, when the upstream gave one. */
  readonly code?: number
  /** JSON-RPC error data as given. */
  readonly data?: unknown
  /** HTTP status, when a response had begun. */
  readonly status?: number
  /** How long the upstream asks to be left alone. */
  readonly retryAfterMs?: number
  /** Nothing went wrong but that it took too long. */
  readonly timedOut?: boolean
  /** Nothing went wrong but that it said too much. */
  readonly tooLarge?: boolean
  readonly cause?: unknown
}

/** They say nothing of the call. */
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
   * Did a node answer this call with a JSON-RPC error of its own? Not where it refuses Cairn whatever is asked, does not
   * have the method, or a proxy answers in its place.
   */
  get isAboutCall(): boolean {
    const { code, kind, status } = this
    if (code === null || ofUpstream.has(kind)) return false
    if (kind === 'unsupported') return !isAboutMethod(code)
    return kind !== 'trouble' || status === null || status <= 500
  }
}
