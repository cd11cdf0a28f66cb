// Policies of all known methods on networks behind upstreams: those declared in methods/, and those that only upstreams implement.
// Cairn relays any other method as a possible write.
// Tested by src/rpc/relay/upstream-operations.test.ts
import { listRpcMethods } from '../methods/index.ts'
import { replyBytes } from './reply-bytes.ts'
import type { BlockPosition, RelayedServing, ServingPolicy } from './serving-policy.ts'

export type RelayedMethod = Omit<RelayedServing, 'serve' | 'units'> & {
  readonly name: string
  readonly units: number
}

const debug = { units: 1000, class: 'trace' } as const
const trace = { units: 300, class: 'trace' } as const

/** Methods without a declaration in methods/. */
const upstreamMethods: readonly RelayedMethod[] = [
  {
    ...debug,
    name: 'debug_accountRange',
    block: { at: 0, form: 'object' },
    calls: 'anywhere',
    replyBytesMax: replyBytes.accounts,
  },
  { ...debug, name: 'debug_getAccessibleState', replyBytesMax: replyBytes.number },
  // With a parameter, geth writes a file.
  { ...debug, name: 'debug_getBadBlocks', paramsMax: 0, replyBytesMax: replyBytes.accounts },
  { ...debug, name: 'debug_getModifiedAccountsByHash', replyBytesMax: replyBytes.accounts },
  { ...debug, name: 'debug_getModifiedAccountsByNumber', replyBytesMax: replyBytes.accounts },
  { ...debug, name: 'debug_intermediateRoots', replyBytesMax: replyBytes.slots },
  { ...debug, name: 'debug_printBlock', replyBytesMax: replyBytes.accounts },
  { ...debug, name: 'debug_traceBadBlock' },
  { ...trace, name: 'trace_block', block: { at: 0, form: 'number' } },
  { ...trace, name: 'trace_call', block: { at: 2, form: 'number' }, calls: 'first' },
  { ...trace, name: 'trace_callMany', block: { at: 1, form: 'number' }, calls: 'anywhere' },
  { ...trace, name: 'trace_filter', calls: 'anywhere' },
  { ...trace, name: 'trace_transaction' },
]

const declared = listRpcMethods()

/** All methods that an upstream answers without a proof. */
export const relayedMethods: readonly RelayedMethod[] = [
  ...declared.flatMap(({ name, units, upstream }) =>
    upstream?.serve === 'relay' ? [{ units, ...upstream, name }] : [],
  ),
  ...upstreamMethods,
]

/** By wire name. */
export const servingPolicies: ReadonlyMap<string, ServingPolicy> = new Map([
  ...declared.flatMap(({ name, upstream }): [string, ServingPolicy][] =>
    upstream === undefined ? [] : [[name, upstream]],
  ),
  ...upstreamMethods.map((method): [string, ServingPolicy] => [
    method.name,
    { ...method, serve: 'relay' },
  ]),
])

/** The block parameter; null: the method has none; undefined: Cairn does not relay the method. */
export function findBlockPosition(method: string): BlockPosition | null | undefined {
  const policy = servingPolicies.get(method)
  return policy?.serve === 'prove' || policy?.serve === 'relay' ? (policy.block ?? null) : undefined
}
