// Sends a call that cannot be proved to one upstream, and to the next if the class of the method allows it.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import type { ReadTrace } from '../../../content/ref.ts'
import { isNestedDeeper } from '../../../base/json-depth.ts'
import { relayedLevelsMax } from '../node/read-reply.ts'
import { type MethodClass, isRead, mayRetryElsewhere } from '../node/method-policy.ts'
import { isTooDeep, UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Params } from '../node/json-rpc-client.ts'
import type { DataKind } from '../node/history-depth.ts'
import type { Upstream } from '../node/upstream.ts'

export type ReadRequest = {
  readonly method: string
  readonly params: Params
  readonly methodClass: MethodClass
  /** The block data the call needs, and the block's number, if the call is about a block. */
  readonly need?: DataKind
  readonly number?: bigint | null
  /** Traces each queried upstream. If callers share the answer, only the trace of the first one is used. */
  readonly watch?: ReadTrace
}

/** `result`: any JSON value, as that upstream returned it. */
export type ReadAnswer = {
  readonly result: unknown
  readonly upstream: string
  readonly trusted: boolean
}

/** `upstreams`: at least one, best first. Throws the most informative UpstreamError, or `signal.reason`. */
export async function readElsewhere(
  upstreams: readonly Upstream[],
  { method, params, methodClass, need, number, watch }: ReadRequest,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const errors: UpstreamError[] = []
  for (const upstream of upstreams) {
    const answered = watch?.('source', upstream.name)
    try {
      const result = await upstream.call(method, params, signal, { methodClass })
      if (isNestedDeeper(result, relayedLevelsMax)) throw tooDeep()
      answered?.('answered')
      return { result, upstream: upstream.name, trusted: upstream.trusted }
    } catch (error) {
      answered?.(error instanceof UpstreamError ? error.kind : 'left')
      if (!(error instanceof UpstreamError)) throw error
      errors.push(error)
      if (isTooDeep(error.kind) && isRead(methodClass) && need !== undefined) {
        if (number !== undefined && number !== null) upstream.cannot(need, number)
      }
      if (!mayRetryElsewhere(methodClass, error)) break
    }
  }
  throw mostTelling(errors)
}

/** The answer could not be serialized into a reply. */
function tooDeep(): UpstreamError {
  const message = 'a reply that is nested too deep'
  return new UpstreamError({ kind: 'trouble', phase: 'answering', message })
}

/** Most useful for the client first: a node's answer about the call, then missing data, then transport errors. */
const order: readonly UpstreamErrorKind[] = [
  'execution',
  'client_fault',
  'range',
  'other',
  'already_known',
  'nonce_too_low',
  'no_tag',
  'missing_state',
  'proof_window',
  'pruned',
  'unknown_block',
  'not_canonical',
  'trouble',
  'rate_limit',
  'billing',
  'credentials',
  'not_asked',
  'unsupported',
]

/** An error that the node does not support this call ranks before a missing method and before no answer. */
function rankOf(error: UpstreamError): number {
  const isOfCall = error.kind === 'unsupported' && error.isAboutCall
  return order.indexOf(isOfCall ? 'other' : error.kind)
}

function mostTelling(errors: readonly UpstreamError[]): UpstreamError {
  const [first] = errors.toSorted((a, b) => rankOf(a) - rankOf(b))
  if (first === undefined) throw new Error('no upstream was queried')
  return first
}
