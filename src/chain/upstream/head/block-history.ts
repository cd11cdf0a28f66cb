// Block hashes from the state: since Prague a system contract stores those of the last 8191 blocks (EIP-2935), so the
// head's state proves the hash of a number.
import { Fault } from '../../../base/fault.ts'
import { fromHex } from '../../../base/hex.ts'
import { getHeader } from '../../blocks.ts'
import type { BlockRef } from '../../head.ts'
import type { Network } from '../../network.ts'
import { readStorage } from '../../state.ts'
import { completeRead } from '../../read.ts'

const contract = fromHex('0x0000F90827F1C53a10cb7A02335B175320002935')
/** HISTORY_SERVE_WINDOW of the EIP. */
const historyBlocks = 8191n

/** Null if the state does not contain it or no source can prove it; then query upstreams. */
export async function findInHistory(
  network: Network,
  number: bigint,
  latest: BlockRef,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const age = latest.number - number
  if (age <= 0n || age > historyBlocks) return null
  try {
    const block = await completeRead(getHeader(network, latest.hash), signal)
    // The contract exists since Prague.
    if (block.header.requestsHash === undefined) return null
    const position = new Uint8Array(32)
    new DataView(position.buffer).setBigUint64(24, number % historyBlocks)
    const hash = await completeRead(
      readStorage({ network, block, address: contract }, position),
      signal,
    )
    return hash.some((byte) => byte !== 0) ? hash : null
  } catch (thrown) {
    if (thrown instanceof Fault && !signal.aborted) return null
    throw thrown
  }
}
