// From a block parameter or hash to its proved header, telling the labels on the way.
// Tested by src/gateway/operations/rpc/blocks/by-hash.test.ts
import { Fault, hasCode } from '../base/fault.ts'
import { toHex } from '../base/hex.ts'
import { findHeader, heldHeader, type ProvedHeader } from '../ethereum/blocks.ts'
import type { BlockParameter, CallNow, RpcCall } from './operation.ts'

/** For state-shaped reads: a miss is an error. Throws what `resolve` throws, and `unverified` as below. */
export async function resolveHeader(
  call: RpcCall,
  parameter: BlockParameter,
): Promise<ProvedHeader> {
  const { hash } = await call.resolve(parameter)
  const block = await findHeader(call.network, hash, call.signal)
  if (block !== null) return block
  // The head says that this block exists, so it is never reported as unknown.
  const data = { block: toHex(hash) }
  throw new Fault('unverified', { detail: 'the header of that block cannot be read', data })
}

/** For block-shaped reads: null for a number above the head, or a hash nobody knows (label `none`). */
export async function findResolved(
  call: RpcCall,
  parameter: BlockParameter,
): Promise<ProvedHeader | null> {
  try {
    return await resolveHeader(call, parameter)
  } catch (thrown) {
    if (!hasCode(thrown, 'unknown_block')) throw thrown
    call.labels.level('none')
    return null
  }
}

/** The block of a hash the caller named, orphans too; null when nobody knows it (label `none`). */
export async function findNamed(call: RpcCall, hash: Uint8Array): Promise<ProvedHeader | null> {
  const block = await findHeader(call.network, hash, call.signal)
  if (block === null) call.labels.level('none')
  else {
    const { number } = block.header
    call.labels.block({ network: call.network.name, hash, number })
  }
  return block
}

/** `resolveHeader` when it is at hand, else null. Throws what `resolve` throws. */
export function headerNow(call: CallNow, parameter: BlockParameter): ProvedHeader | null {
  const block = call.resolveNow(parameter)
  return block === null ? null : heldHeader(call.network, block.hash)
}

/** `findResolved` when there is one and it is at hand, else null. */
export function resolvedNow(call: CallNow, parameter: BlockParameter): ProvedHeader | null {
  try {
    return headerNow(call, parameter)
  } catch (thrown) {
    if (hasCode(thrown, 'unknown_block')) return null
    throw thrown
  }
}

/** `findNamed` when it is at hand, else null. */
export function namedNow(call: CallNow, hash: Uint8Array): ProvedHeader | null {
  const block = heldHeader(call.network, hash)
  if (block === null) return null
  call.labels.block({ network: call.network.name, hash, number: block.header.number })
  return block
}
