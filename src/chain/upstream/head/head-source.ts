// The head as one upstream reports it. The caller must prove it.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { Fault } from '../../../base/fault.ts'
import { fromHex } from '../../../base/hex.ts'
import type { Anchor } from '../../head.ts'

/** The parts of an upstream that the follower uses. */
export type HeadSource = {
  readonly name: string
  readonly trusted: boolean
  /** False while its replies do not count: quarantined, of another chain. */
  readonly usable: boolean
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Requests its chain ID again. Throws if that is another one or unknown. */
  confirmChain(signal: AbortSignal): Promise<void>
  /** Calls `onHead` with the hash of each block that the upstream pushes. Absent: it pushes none. */
  watchHeads?(onHead: (hash: Uint8Array) => Promise<void>): void
  /** Only for the light client: the anchor of a block that it reported; null: it did not report the block. */
  anchorOf?(hash: Uint8Array): Anchor | null
  /** Heads are currently pushed. */
  readonly isPushing?: boolean
  /** Sets the upstream's lag behind the head in blocks, and its newest block. */
  setLag(blocks: number, head: bigint): void
}

export type BlockName = { readonly hash: Uint8Array; readonly number: bigint }

/** The block that the upstream returns for `block` (a tag or a QUANTITY), or null. Rejects if the request failed. */
export async function fetchBlockName(
  source: HeadSource,
  block: string,
  signal: AbortSignal,
): Promise<BlockName | null> {
  const reply = await source.call('eth_getBlockByNumber', [block, false], signal)
  if (reply === null) return null
  const { hash, number } = reply as { readonly hash?: unknown; readonly number?: unknown }
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw odd('hash')
  if (typeof number !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(number)) throw odd('number')
  return { hash: fromHex(hash), number: BigInt(number) }
}

/** Omits the value, which is text of an upstream. */
function odd(member: string): Fault {
  const cause = new TypeError(`a block whose ${member} cannot be read`)
  return new Fault('no_upstream', { cause })
}
