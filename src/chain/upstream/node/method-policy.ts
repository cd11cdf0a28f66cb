// Policies of methods towards upstreams, by wire name. Callers pass the table; the declarations of the methods make it.
// A policy only adds rights: a method without one may be a write, so Cairn sends it once, to one upstream.
// Tested by src/chain/upstream/node/method-class.test.ts, src/chain/upstream/node/upstream.test.ts
import type { Params } from './json-rpc-client.ts'
import type { MethodClass } from './method-class.ts'

export type MethodPolicy = {
  readonly class: MethodClass
  /** Largest valid reply, in bytes; absent: the operator's limit for all replies. */
  readonly replyBytesMax?: number | ((params: readonly unknown[]) => number)
}

export type MethodPolicies = ReadonlyMap<string, MethodPolicy>

/** Other methods of `debug_` change the node, as `debug_setHead` does: only these names are traces. */
const tracePrefixes: readonly string[] = ['debug_trace', 'trace_']

export function classOf(policies: MethodPolicies, method: string): MethodClass {
  const policy = policies.get(method)
  if (policy !== undefined) return policy.class
  return tracePrefixes.some((prefix) => method.startsWith(prefix)) ? 'trace' : 'unlisted'
}

/** Bytes; `most` is the operator's limit for any reply. */
export function replyBytesMaxOf(
  policies: MethodPolicies,
  call: { readonly method: string; readonly params: Params },
  most: number,
): number {
  const own = policies.get(call.method)?.replyBytesMax ?? most
  if (typeof own === 'number') return Math.min(own, most)
  return 'json' in call.params ? most : Math.min(own(call.params), most)
}
