// Policies of methods towards upstreams, by wire name. Callers pass the table; the declarations of the methods make it.
// A policy only adds rights: a method without one may be a write, so Cairn sends it once, to one upstream.
// Tested by src/chain/upstream/node/method-policy.test.ts, src/chain/upstream/node/upstream.test.ts
import type { Params } from './json-rpc-client.ts'
import type { UpstreamErrorKind } from './upstream-error.ts'

export type MethodPolicy = {
  readonly class: MethodClass
  /** Largest valid reply, in bytes; absent: the operator's limit for all replies. */
  readonly replyBytesMax?: number | ((params: readonly unknown[]) => number)
}

export type MethodPolicies = ReadonlyMap<string, MethodPolicy>

/** Only these prefixes are traces, because other methods of `debug_`, such as `debug_setHead`, change the node. */
const tracePrefixes: readonly string[] = ['debug_trace', 'trace_']

export function classOf(policies: MethodPolicies, method: string): MethodClass {
  const policy = policies.get(method)
  if (policy !== undefined) return policy.class
  return tracePrefixes.some((prefix) => method.startsWith(prefix)) ? 'trace' : 'unlisted'
}

/** Size limit of a reply in bytes; `most`: the operator's limit for any reply. */
export function replyBytesMaxOf(
  policies: MethodPolicies,
  call: { readonly method: string; readonly params: Params },
  most: number,
): number {
  const ofMethod = policies.get(call.method)?.replyBytesMax ?? most
  if (typeof ofMethod === 'number') return Math.min(ofMethod, most)
  return 'json' in call.params ? most : Math.min(ofMethod(call.params), most)
}

/**
 * - `content`: returns bytes that are proved. `read`: a known read that cannot be proved. `trace`: `debug_`, `trace_`.
 * - `send`: a signed transaction. `sticky`: state on one upstream (filters, subscriptions). `unlisted`: anything else.
 */
export type MethodClass = 'content' | 'read' | 'send' | 'sticky' | 'trace' | 'unlisted'

export const methodClasses: readonly MethodClass[] = [
  'content',
  'read',
  'send',
  'sticky',
  'trace',
  'unlisted',
]

/** Concurrent callers of the same call may share one exchange. Content is shared by its hash, in content/. */
export function isShared(methodClass: MethodClass): boolean {
  return methodClass === 'read' || methodClass === 'trace'
}

/** The call may be repeated if a reused socket was reset. */
export function isRead(methodClass: MethodClass): boolean {
  return methodClass === 'content' || methodClass === 'read' || methodClass === 'trace'
}

/** Errors that another upstream may not return. Excludes errors of the EVM and of the client. */
const elsewhere: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate_limit',
  'billing',
  'credentials',
  'no_tag',
  'proof_window',
  'pruned',
  'missing_state',
  'unknown_block',
  'not_canonical',
  'unsupported',
  'trouble',
  'not_asked',
])
/** The upstream refused the call before running it. */
const refusals: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate_limit',
  'billing',
  'credentials',
  'unsupported',
  'not_asked',
])

/** Whether the same call may be sent to another upstream after this failure. */
export function mayRetryElsewhere(
  methodClass: MethodClass,
  failure: { readonly kind: UpstreamErrorKind; readonly phase: 'unsent' | 'sent' | 'answering' },
): boolean {
  const { kind, phase } = failure
  switch (methodClass) {
    case 'content':
      // Content is proved by its hash, so a retry elsewhere is safe after any error but one of the EVM.
      return kind !== 'execution'
    case 'read':
      return elsewhere.has(kind)
    case 'trace':
      return refusals.has(kind) || (kind === 'trouble' && phase !== 'answering')
    case 'unlisted':
      return kind === 'unsupported' || phase === 'unsent'
    case 'send':
    case 'sticky':
      return false
  }
}
