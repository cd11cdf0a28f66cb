// Sends a signed transaction to several upstreams in parallel. Cairn computes its hash before sending, so a node that
// already has it counts as one that accepts it, and no reply can change which transaction was sent.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import { UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

/** `raw`, `hash`: `0x` and lower-case hex; `hash` was computed here from `raw`. */
export type SignedTransaction = { readonly raw: string; readonly hash: string }

/**
 * Resolves as soon as one upstream has the transaction; the other calls continue. Throws UpstreamError, preferring a node's answer
 * about the transaction to a transport error. `signal`: of the pool, because a caller that leaves does not end the broadcast.
 */
export async function broadcast(
  upstreams: readonly Upstream[],
  { raw, hash }: SignedTransaction,
  signal: AbortSignal,
): Promise<void> {
  const sends = upstreams.map((upstream) => send(upstream, { raw, hash }, signal))
  try {
    await Promise.any(sends)
  } catch (thrown) {
    const errors = thrown instanceof AggregateError ? (thrown.errors as readonly unknown[]) : []
    throw mostTelling(errors) ?? errors[0] ?? thrown
  }
}

async function send(
  upstream: Upstream,
  { raw, hash }: SignedTransaction,
  signal: AbortSignal,
): Promise<void> {
  try {
    const answer = await upstream.call('eth_sendRawTransaction', [raw], signal)
    if (typeof answer === 'string' && answer.toLowerCase() === hash) return
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.kind === 'already_known') return
    // It was sent before, by Cairn or others: either this transaction used the nonce or another one did.
    if (error.kind === 'nonce_too_low' && (await hasTransaction(upstream, hash, signal))) return
    throw error
  }
  throw new UpstreamError({
    kind: 'trouble',
    phase: 'answering',
    message: 'the answer to a transaction is another hash',
  })
}

async function hasTransaction(
  upstream: Upstream,
  hash: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const found = await upstream.call('eth_getTransactionByHash', [hash], signal)
    return (
      typeof found === 'object' && found !== null && 'hash' in found && isSame(found.hash, hash)
    )
  } catch (error) {
    if (error instanceof UpstreamError) return false
    throw error
  }
}

function isSame(reported: unknown, hash: string): boolean {
  return typeof reported === 'string' && reported.toLowerCase() === hash
}

/** Errors about the transaction itself. */
const transactionErrors: ReadonlySet<UpstreamErrorKind> = new Set([
  'other',
  'execution',
  'nonce_too_low',
  'client_fault',
])

function mostTelling(errors: readonly unknown[]): UpstreamError | null {
  const upstreamErrors = errors.filter((error) => error instanceof UpstreamError)
  return (
    upstreamErrors.find(({ kind }) => transactionErrors.has(kind)) ??
    upstreamErrors.find(({ isAboutCall }) => isAboutCall) ??
    upstreamErrors[0] ??
    null
  )
}
