// The reads of a network as the word of one of its upstreams, whatever the network's policy: to be compared with what
// was answered. Nothing of it is kept or called proved.
// Tested by src/admin/replay-request.test.ts
import { Fault } from '../../base/fault.ts'
import type { BlockParameter, Operations, RpcOperation } from '../operation.ts'
import { parseBlock, relayCall } from './relay.ts'
import { provableMethods, type RelayedMethod, relayedMethods } from './relayed-methods.ts'

type Input = { readonly params: readonly unknown[]; readonly block: BlockParameter | null }

/** Which param names the block; null: none does; undefined: the method has no description. */
export function blockPlace(method: string): RelayedMethod['block'] | null | undefined {
  const provable = provableMethods.get(method)
  if (provable !== undefined) return provable
  const relayed = relayedMethods.find(({ name }) => name === method)
  return relayed === undefined ? undefined : (relayed.block ?? null)
}

/** `name`: of the upstream. Only methods that are known to read are found. */
export function queryOneUpstream(operations: Operations, name: string): Operations {
  return {
    find(method) {
      const own = operations.find(method)
      const block = blockPlace(method)
      return own === null || block === undefined ? null : wordOf(name, own, block)
    },
  }
}

function wordOf(
  upstream: string,
  own: RpcOperation<unknown>,
  block: RelayedMethod['block'] | null,
): RpcOperation<unknown> {
  const { name, units } = own
  const asked: RpcOperation<Input> = {
    name,
    units,
    parse(params) {
      own.parse(params)
      return { params, block: parseBlock(block, params) }
    },
    async run({ params, block: at }, call) {
      if (call.network.relay === null) {
        throw new Fault('absent', { detail: `${call.network.name} has no upstreams` })
      }
      const method = { name, class: 'read', upstream, ...(block && { block }) } as const
      return await relayCall(call, method, params, at)
    },
  }
  return asked as RpcOperation<unknown>
}
