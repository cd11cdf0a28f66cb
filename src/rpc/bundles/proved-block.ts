// Resolves a block parameter or hash to its proved header and sets the labels.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { Fault, hasCode } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { findHeader, type ProvedHeader } from '../../chain/blocks.ts'
import type { Read } from '../../chain/read.ts'
import type { BlockParameter, ReadCall } from '../operation.ts'

/** For reads of state: an unknown block is an error. Throws what `resolve` throws, and `unverified` as below. */
export function* resolveHeader(call: ReadCall, parameter: BlockParameter): Read<ProvedHeader> {
  const { hash } = yield* call.resolve(parameter)
  const block = yield* findHeader(call.network, hash)
  if (block !== null) return block
  // The head reported this block, so it is never called unknown.
  const data = { block: toHex(hash) }
  throw new Fault('unverified', { detail: 'the header of that block cannot be read', data })
}

/** For reads of blocks: null for a number above the head, or a hash that no source knows (label `none`). */
export function* findResolved(
  call: ReadCall,
  parameter: BlockParameter,
): Read<ProvedHeader | null> {
  try {
    return yield* resolveHeader(call, parameter)
  } catch (thrown) {
    if (!hasCode(thrown, 'unknown_block')) throw thrown
    call.labels.level('none')
    return null
  }
}

/** The block with a hash that the client sent, orphans included; null if no source knows it (label `none`). */
export function* findNamed(call: ReadCall, hash: Uint8Array): Read<ProvedHeader | null> {
  const block = yield* findHeader(call.network, hash)
  if (block === null) call.labels.level('none')
  else {
    const { number } = block.header
    call.labels.block({ network: call.network.name, hash, number })
  }
  return block
}
