// The blocks of one change of a tree: new nodes stay in memory until the commit, leaves go to the store immediately. Reads find
// both new and stored blocks.
// Tested by src/ipfs/mfs/mfs.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { toLatin1 } from '../../base/hex.ts'
import { createYielder } from '../../base/yielder.ts'
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import type { Batch } from '../../content/block-store.ts'
import { blockBytesMax, createBlockGroups, overSize } from '../import/block-sink.ts'
import type { ReadBlock } from '../read/blocks.ts'
import { nameBlock } from './cid-format.ts'
import type { TreeBlocks } from './tree.ts'

/** Nodes and adopted blocks that one change holds in memory. */
const nodeBytesMax = 256 * 1024 * 1024
/** Bytes that are hashed before yielding to other work. */
const turnBytes = 1024 * 1024

/** `blocksMax`: maximum number of blocks of one change. Throws `too_large` past it. */
export function createTreeBlocks(
  read: ReadBlock,
  put: Batch['put'],
  blocksMax: number,
): TreeBlocks {
  const nodes = new Map<string, Uint8Array>()
  const leaves = new Set<string>()
  const wasRead = new Set<string>()
  const groups = createBlockGroups(put)
  const yieldAfter = createYielder(turnBytes)
  let blocks = 0
  let nodeBytes = 0

  function count(): void {
    blocks += 1
    if (blocks <= blocksMax) return
    throw new Fault('too_large', { detail: `request creates more than ${blocksMax} blocks` })
  }

  function hold(cid: CID, bytes: Uint8Array): void {
    const key = keyOf(cid)
    if (nodes.has(key)) return
    nodeBytes += bytes.length
    if (nodeBytes > nodeBytesMax) {
      throw new Fault('too_large', {
        detail: `request creates more than ${nodeBytesMax} bytes of nodes`,
      })
    }
    nodes.set(key, bytes)
  }

  async function stage(cid: CID, bytes: Uint8Array): Promise<void> {
    if (cid.multihash.code === identityCode) return
    await groups.add({ ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes }, 0)
  }

  return {
    async read(cid) {
      const key = keyOf(cid)
      const own = nodes.get(key)
      if (own !== undefined) return own
      wasRead.add(key)
      return await read(cid)
    },
    node(format, bytes) {
      count()
      if (bytes.length > blockBytesMax) throw overSize()
      const cid = nameBlock(dagPbCodec, format, bytes)
      hold(cid, bytes)
      return cid
    },
    async leaf(codec, format, bytes) {
      count()
      const turn = yieldAfter(bytes.length)
      if (turn !== null) await turn
      const cid = nameBlock(codec, format, bytes)
      const key = keyOf(cid)
      if (leaves.has(key)) return cid
      leaves.add(key)
      await stage(cid, bytes)
      return cid
    },
    adopt: hold,
    made(cid) {
      const key = keyOf(cid)
      return nodes.get(key) ?? (leaves.has(key) ? 'staged' : null)
    },
    isKnown(cid) {
      const key = keyOf(cid)
      return nodes.has(key) || leaves.has(key) || wasRead.has(key)
    },
    stage,
    flush: () => groups.end(),
    settled: () => groups.settled(),
  }
}

/** Key of a block under a codec. */
export function keyOf({ code, multihash }: CID): string {
  return `${code === rawCodec ? '' : code} ${toLatin1(multihash.bytes)}`
}
