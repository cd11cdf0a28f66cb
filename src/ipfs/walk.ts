// All blocks below a root, each once, in depth-first order. Iterative, bounded in blocks.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../base/fault.ts'
import { toBareHex } from '../base/hex.ts'
import type { ReadBlock } from './blocks.ts'
import { linksOf } from './links.ts'

/** What was visited; shared between walks to visit each block once over all of them. */
export type Visited = Set<string>

/** `block`: null when `read` had none to give. */
export type WalkedBlock = { readonly cid: CID; readonly block: Uint8Array | null }

/** How many blocks may be walked before other work gets a turn. */
const turnBlocks = 128

/**
 * Yields each block not yet in `visited`, by multihash. `read` null = skip what is below that CID. Throws
 * `command_failed` past `blocksMax` and for codecs whose links are not known here.
 */
export async function* walkBlocks(
  root: CID,
  visited: Visited,
  blocksMax: number,
  read: (cid: CID) => Promise<Uint8Array | null>,
): AsyncGenerator<WalkedBlock> {
  const open: CID[] = [root]
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    const key = toBareHex(cid.multihash.bytes)
    if (visited.has(key)) continue
    if (visited.size >= blocksMax) {
      throw new Fault('command_failed', { detail: `DAG has more than ${blocksMax} blocks` })
    }
    visited.add(key)
    if (visited.size % turnBlocks === 0) await setImmediate()
    const block = await read(cid)
    yield { cid, block }
    if (block === null) continue
    for (const link of linksOf(cid, block).toReversed()) open.push(link.cid)
  }
}

/** For walks over what is here: null in place of `command_failed`, so that a lost block does not hide the rest. */
export function storedOnly(read: ReadBlock): (cid: CID) => Promise<Uint8Array | null> {
  return async (cid) => {
    try {
      return await read(cid)
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code === 'command_failed') return null
      throw thrown
    }
  }
}
