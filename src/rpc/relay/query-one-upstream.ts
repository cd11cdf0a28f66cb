// Sends the reads of a network to one of its upstreams, whatever the network's policy, to compare its answer with an earlier one.
// The answer is neither cached nor labelled as proved.
// Tested by src/admin/replay-request.test.ts
import { Fault } from '../../base/fault.ts'
import type { BlockParameter, Operations, RpcOperation } from '../operation.ts'
import { parseBlock, relayCall } from './relay.ts'
import { findBlockPlace } from './relayed-methods.ts'
import type { BlockPlace } from './serving-policy.ts'

type Input = { readonly params: readonly unknown[]; readonly block: BlockParameter | null }

/** `name`: of the upstream. Finds only methods that are known to be reads. */
export function queryOneUpstream(operations: Operations, name: string): Operations {
  return {
    find(method) {
      const own = operations.find(method)
      const block = findBlockPlace(method)
      return own === null || block === undefined ? null : wordOf(name, own, block)
    },
  }
}

function wordOf(
  upstream: string,
  own: RpcOperation<unknown>,
  block: BlockPlace | null,
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
