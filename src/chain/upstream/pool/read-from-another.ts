// One call that nobody can prove, to one upstream, and to the next where the class of the method allows it.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import type { ReadTrace } from '../../../content/read-trace.ts'
import { isNestedDeeper, relayedLevelsMax } from '../node/nesting.ts'
import { isRead, mayRetryElsewhere, type MethodClass } from '../node/method-class.ts'
import { isTooDeep, UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Params } from '../node/json-rpc-client.ts'
import type { DataKind } from '../node/history-depth.ts'
import type { Upstream } from '../node/upstream.ts'

export type ReadRequest = {
  readonly method: string
  readonly params: Params
  readonly methodClass: MethodClass
  /** What is needed of a block, and its number, when the call is about one. */
  readonly need?: DataKind
  readonly number?: bigint | null
  /** Told of each that is asked, by whoever came first of those who share the answer. */
  readonly watch?: ReadTrace
}

/** `result`: any JSON value, as that upstream gave it. */
export type ReadAnswer = {
  readonly result: unknown
  readonly upstream: string
  readonly trusted: boolean
}

/** `upstreams`: at least one, best first. Throws the most telling UpstreamError, or `signal.reason`. */
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

/** It could not be written into a reply. */
function tooDeep(): UpstreamError {
  const message = 'a reply that is nested too deep'
  return new UpstreamError({ kind: 'trouble', phase: 'answering', message })
}

/** What helps the caller most: what a node said of the call, then what none has, then what went wrong. */
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

/** A node that does not support this call says more than one without the method, or without an answer. */
function rankOf(error: UpstreamError): number {
  const isOfCall = error.kind === 'unsupported' && error.isAboutCall
  return order.indexOf(isOfCall ? 'other' : error.kind)
}

function mostTelling(errors: readonly UpstreamError[]): UpstreamError {
  const [first] = errors.toSorted((a, b) => rankOf(a) - rankOf(b))
  if (first === undefined) throw new Error('nobody was asked')
  return first
}
