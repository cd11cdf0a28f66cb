// One upstream's word about the head, as it was last asked: nothing of it is believed by itself.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { Fault } from '../../../base/fault.ts'
import { fromHex } from '../../../base/hex.ts'

/** What the follower needs of an upstream. */
export type HeadSource = {
  readonly name: string
  readonly trusted: boolean
  /** False while nothing it says counts: quarantined, of another chain. */
  readonly usable: boolean
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Asks it once more which chain it is on. Throws when that is another, or it does not say. */
  confirmChain(signal: AbortSignal): Promise<void>
  /** Has `onHead` called with the hash of each block that it pushes; not given: it pushes none. */
  watchHeads?(onHead: (hash: Uint8Array) => Promise<void>): void
  /** Heads are pushed at this time. */
  readonly isPushing?: boolean
  /** Told how many blocks it is behind the head, and its own newest block. */
  setLag(blocks: number, head: bigint): void
}

export type BlockName = { readonly hash: Uint8Array; readonly number: bigint }

/** The block that `block` (a tag or a QUANTITY) names there, or null. Rejects when it could not be asked. */
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

/** Without the value: it is an upstream's text. */
function odd(member: string): Fault {
  const cause = new TypeError(`a block whose ${member} cannot be read`)
  return new Fault('no_upstream', { cause })
}
