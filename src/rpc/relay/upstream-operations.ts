// The operations of a network behind upstreams: reads that are proved or relayed by the network's policy, methods that Cairn
// answers from the head or its own data, and all other methods that the lists allow.
import type { Operations, RpcOperation } from '../operation.ts'
import type { GetFilterLogs } from '../methods/logs/eth_getFilterLogs.ts'
import { proveOrRelay, relayClassOf, type VerifyMode } from './prove-or-relay.ts'
import { findRefusal } from '../refused-methods.ts'
import { isDenied, mayRelay, type RelayLists } from './relay-lists.ts'
import { relayListed, relayUnlisted } from './relay.ts'
import { relayPending } from './relay-pending.ts'
import { relayedMethods, servingPolicies } from './relayed-methods.ts'
import { relayLongSearch, searchForFilter } from './relay-long-search.ts'

export type UpstreamPolicy = {
  /** How Cairn must verify the answer of the method. */
  readonly verifyOf: (method: string) => VerifyMode
  readonly lists: RelayLists
}

/** `operations`: all operations of this server (methods/index.ts). */
export function createUpstreamOperations(
  operations: ReadonlyMap<string, RpcOperation<unknown>>,
  { verifyOf, lists }: UpstreamPolicy,
): Operations {
  const offered = new Map<string, RpcOperation<unknown>>()
  const getLogs = operations.get('eth_getLogs')
  const search = getLogs && relayLongSearch(getLogs, verifyOf('eth_getLogs'))
  for (const [name, operation] of operations) {
    const served = servingPolicies.get(name)
    if (served?.serve === 'never') continue
    if (name === 'eth_getLogs' && search) offered.set(name, search)
    else if (name === 'eth_getFilterLogs' && search) {
      offered.set(name, searchForFilter(operation as unknown as GetFilterLogs, search))
    } else if (served?.serve !== 'prove') offered.set(name, operation)
    else {
      const { block, pendingIsLatest } = served
      const proving = proveOrRelay(operation, served, verifyOf(name))
      const mayPend = block !== null && block.form !== 'hash' && pendingIsLatest !== true
      offered.set(name, mayPend ? relayPending(proving, block.at, relayClassOf(served)) : proving)
    }
  }
  for (const method of relayedMethods) offered.set(method.name, relayListed(method))
  // Includes denied methods: a name that differs from a listed one only in case must not be relayed as unlisted.
  const listed = new Set([...offered.keys()].map((name) => name.toLowerCase()))
  for (const name of offered.keys()) if (isDenied(lists, name)) offered.delete(name)

  return {
    find(method) {
      const operation = offered.get(method)
      if (operation !== undefined) return operation
      if (findRefusal(method) !== null) return null
      const onlyIfAllowed = servingPolicies.get(method)?.serve === 'never'
      // Relayed only if the operator allows it by name.
      if (onlyIfAllowed && lists.allow === null) return null
      if (listed.has(method.toLowerCase())) return null
      return mayRelay(lists, method) ? relayUnlisted(method) : null
    },
  }
}

/** The operations of an embedded chain. */
export function createEmbeddedOperations(
  operations: ReadonlyMap<string, RpcOperation<unknown>>,
): Operations {
  return { find: (method) => operations.get(method) ?? null }
}
