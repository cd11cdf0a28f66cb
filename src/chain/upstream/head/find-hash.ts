// The hash of an earlier block, for BLOCKHASH: from the state, where the chain has EIP-2935, else by the parent links.
// Tested by test/calls/proved-calls.test.ts
import { Fault } from '../../../base/fault.ts'
import { getHeader } from '../../blocks.ts'
import type { Network } from '../../network.ts'
import type { ProvedHeader } from '../../proved-memory.ts'
import { completeRead } from '../../read.ts'
import { findInHistory } from './block-history.ts'

const parentsMax = 256n

/** `number`: below that of `block`. Throws `unprovable` for a block too far below. */
export async function findHash(
  network: Network,
  block: ProvedHeader,
  number: bigint,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { header, hash } = block
  if (number === header.number - 1n) return header.parentHash
  const from = { network: network.name, hash, number: header.number }
  const stored = await findInHistory(network, number, from, signal)
  if (stored !== null) return stored
  if (header.number - number > parentsMax) {
    throw new Fault('unprovable', { detail: `the call reads more than ${parentsMax} headers` })
  }
  let parent = header.parentHash
  for (let at = header.number - 1n; at > number; at -= 1n) {
    parent = (await completeRead(getHeader(network, parent), signal)).header.parentHash
  }
  return parent
}
