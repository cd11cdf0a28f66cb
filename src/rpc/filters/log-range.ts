// Resolves the blocks of a log filter to the proved range of blocks to search.
// Tested by src/rpc/methods/logs/eth_getLogs.test.ts
import { Fault } from '../../base/fault.ts'
import { findHeader, type ProvedHeader } from '../../chain/blocks.ts'
import type { LogRange } from '../../chain/logs.ts'
import type { BlockParameter, RpcCall } from '../operation.ts'
import type { LogBlocks } from '../params/log-filter.ts'
import { resolveHeader } from '../bundles/proved-block.ts'
import { completeRead } from '../../chain/read.ts'

/**
 * Throws `bad_params` for a range that begins after its end, ends above the head or names `pending`; `unknown_block` for a hash
 * that no source knows.
 */
export async function resolveLogRange(call: RpcCall, blocks: LogBlocks): Promise<LogRange> {
  if ('hash' in blocks) {
    const newest = await getNamed(call, blocks.hash)
    return { newest, oldest: newest.header.number }
  }
  const { from, to } = blocks
  if (isPending(from) || isPending(to)) throw refuse('pending logs are not supported')
  const head = call.network.head.latest().number
  const oldest = numberIn(from) ?? (await completeRead(call.resolve(from), call.signal)).number
  const last = numberIn(to) ?? (await completeRead(call.resolve(to), call.signal)).number
  if (oldest > last) throw refuse('invalid block range params')
  if (last > head) throw refuse('block range extends beyond current head block')
  return { newest: await completeRead(resolveHeader(call, to), call.signal), oldest }
}

async function getNamed(call: RpcCall, hash: Uint8Array): Promise<ProvedHeader> {
  const block = await completeRead(findHeader(call.network, hash), call.signal)
  if (block === null) throw new Fault('unknown_block', { detail: 'unknown block' })
  const { number } = block.header
  call.labels.block({ network: call.network.name, hash, number })
  return block
}

function numberIn(parameter: BlockParameter): bigint | null {
  return 'number' in parameter ? parameter.number : null
}

function isPending(parameter: BlockParameter): boolean {
  return 'tag' in parameter && parameter.tag === 'pending'
}

function refuse(detail: string): Fault {
  return new Fault('bad_params', { detail })
}
