// One operation run against a Network as the gateway would: parse, resolve, run, and the labels it told.
import { Fault } from '../../src/base/fault.ts'
import type { Caller } from '../../src/accounts/caller.ts'
import type { BlockRef } from '../../src/ethereum/head.ts'
import type { Level } from '../../src/ethereum/level.ts'
import type { Network } from '../../src/ethereum/network.ts'
import type { RpcCall, RpcOperation } from '../../src/gateway/operation.ts'
import { resolveBlock } from '../../src/gateway/resolve-block.ts'

export type Answer = {
  readonly result: unknown
  readonly levels: readonly Level[]
  readonly blocks: readonly BlockRef[]
}

export async function runOperation<Input>(
  operation: RpcOperation<Input>,
  network: Network,
  params: readonly unknown[],
): Promise<Answer> {
  const levels: Level[] = []
  const blocks: BlockRef[] = []
  const labels: RpcCall['labels'] = {
    level: (level) => void levels.push(level),
    block: (block) => void blocks.push(block),
  }
  const { signal } = new AbortController()
  const call: RpcCall = {
    // No operation of this face looks at the caller; the gateway judged it before.
    caller: {} as Caller,
    network,
    labels,
    signal,
    async resolve(parameter) {
      const block = await resolveBlock(network, parameter, { signal })
      labels.block(block)
      return block
    },
  }
  const result = await operation.run(operation.parse(params), call)
  return { result, levels, blocks }
}

/** A face reduced to its least: one call in, one JSON text out, always HTTP 200. */
export function createFakePost(
  operations: ReadonlyMap<string, RpcOperation<unknown>>,
  network: Network,
): (body: string) => Promise<{ status: number; text: string }> {
  return async (body) => {
    const { id, method, params } = JSON.parse(body) as {
      id: unknown
      method: string
      params?: unknown[]
    }
    const head = { jsonrpc: '2.0', id }
    const operation = operations.get(method)
    if (operation === undefined) return { status: 200, text: JSON.stringify(head) }
    try {
      const { result } = await runOperation(operation, network, params ?? [])
      return { status: 200, text: JSON.stringify({ ...head, result }) }
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      const error = { code: thrown.row.rpc, message: thrown.message }
      return { status: 200, text: JSON.stringify({ ...head, error }) }
    }
  }
}
