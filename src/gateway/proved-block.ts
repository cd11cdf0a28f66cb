// From a block parameter or hash to its proved header, telling the labels on the way.
// Tested by src/gateway/operations/by-hash.test.ts
import { Fault } from '../base/fault.ts'
import { findHeader, getHeader, type ProvedHeader } from '../ethereum/blocks.ts'
import type { BlockParameter, RpcCall } from './operation.ts'

/** For state-shaped reads: a miss is an error. Throws what `resolve` throws. */
export async function resolveHeader(
  call: RpcCall,
  parameter: BlockParameter,
): Promise<ProvedHeader> {
  const { hash } = await call.resolve(parameter)
  return await getHeader(call.network, hash, call.signal)
}

/** For block-shaped reads: null for a number above the head, or a hash nobody knows (label `none`). */
export async function findResolved(
  call: RpcCall,
  parameter: BlockParameter,
): Promise<ProvedHeader | null> {
  try {
    return await resolveHeader(call, parameter)
  } catch (thrown) {
    if (!(thrown instanceof Fault && thrown.code === 'unknown_block')) throw thrown
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
