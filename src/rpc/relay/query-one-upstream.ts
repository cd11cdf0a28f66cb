// Sends the reads of a network to one of its upstreams, whatever the network's policy, to compare its answer with an earlier one.
// The answer is neither cached nor labelled as proved.
// Tested by src/admin/replay-request.test.ts
import { Fault } from '../../base/fault.ts'
import type { BlockParameter, Operations, RpcOperation } from '../operation.ts'
import { parseBlock, relayCall } from './relay.ts'
import { findBlockPosition } from './relayed-methods.ts'
import type { BlockPosition } from './serving-policy.ts'

type Input = { readonly params: readonly unknown[]; readonly block: BlockParameter | null }

/** `name`: of the upstream. Finds only methods that are known to be reads. */
export function queryOneUpstream(operations: Operations, name: string): Operations {
  return {
    find(method) {
      const operation = operations.find(method)
      const block = findBlockPosition(method)
      return operation === null || block === undefined ? null : relayTo(name, operation, block)
    },
  }
}

function relayTo(
  upstream: string,
  operation: RpcOperation<unknown>,
  block: BlockPosition | null,
): RpcOperation<unknown> {
  const { name, units } = operation
  const relayed: RpcOperation<Input> = {
    name,
    units,
    parse(params) {
      operation.parse(params)
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
  return relayed as RpcOperation<unknown>
}
