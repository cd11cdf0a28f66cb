// How a change of the root changes the link counts of a tree's blocks. Subtrees that both roots contain are not walked: a change
// costs the nodes on the changed paths, and the subtrees that enter or leave the tree.
// Tested by src/ipfs/mfs/mfs.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import { toLatin1 } from '../../base/hex.ts'
import { linkless, linksOf } from '../read/links.ts'
import type { MfsBlockRow } from '../../tables/trees/mfs.ts'
import type { TreeBlocks } from './tree.ts'
import { keyOf } from './tree-blocks.ts'

export type LinkCounts = {
  readonly added: readonly MfsBlockRow[]
  readonly changed: readonly MfsBlockRow[]
  readonly removed: readonly MfsBlockRow[]
}

export type CountedTree = {
  readonly blocks: TreeBlocks
  /** The rows of these blocks. */
  readonly rowsOf: (hashes: readonly Uint8Array[]) => Promise<readonly MfsBlockRow[]>
  /** The stored block; null: it is not stored. */
  readonly stored: (cid: CID) => Promise<Uint8Array | null>
  /** Maximum number of blocks that enter or leave the tree. */
  readonly blocksMax: number
}

/**
 * State of one block. `before`: number of links in its row. `isIn`: its own links are counted. `isStored`: as `held` in MfsBlockRow;
 * null: not known yet. `wasStored`: as in the row. The block of a row that was not held is looked up again whenever its links change.
 */
type Counted = {
  readonly cid: CID
  before: number
  delta: number
  isIn: boolean
  isStored: boolean | null
  wasStored: boolean
  isLoaded: boolean
}

const hashesAtOnce = 256
/** Blocks between two yields to other work. */
const turnBlocks = 128

/** `from`: null if there is no stored root. Throws `command_failed` past `blocksMax`. */
export async function countLinks(
  tree: CountedTree,
  from: CID | null,
  to: CID,
): Promise<LinkCounts> {
  const all = new Map<string, Counted>()
  let queue = new Set<Counted>()
  let walked = 0

  function change(cid: CID, by: number): void {
    const key = keyOf(cid)
    let one = all.get(key)
    if (one === undefined) {
      one = {
        cid,
        before: 0,
        delta: 0,
        isIn: false,
        isStored: null,
        wasStored: false,
        isLoaded: false,
      }
      all.set(key, one)
    }
    one.delta += by
    // Both the new node and the one that it replaces link to the block, so its count does not change.
    if (one.delta === 0 && !one.isLoaded) queue.delete(one)
    else queue.add(one)
  }

  /**
   * Blocks to process next: first those that the change created or read, because their links cancel out most others; then added
   * blocks, then removed ones.
   */
  function next(): readonly Counted[] {
    const some = [...queue]
    const known = some.filter(({ cid }) => tree.blocks.isKnown(cid))
    if (known.length > 0) return known
    const coming = some.filter(({ delta }) => delta > 0)
    return coming.length > 0 ? coming : some
  }

  async function load(some: readonly Counted[]): Promise<void> {
    const missing = some.filter(({ isLoaded }) => !isLoaded)
    for (let at = 0; at < missing.length; at += hashesAtOnce) {
      const step = missing.slice(at, at + hashesAtOnce)
      const rows = await tree.rowsOf(step.map(({ cid }) => cid.multihash.bytes))
      const found = new Map(rows.map((row) => [`${row.codec} ${toLatin1(row.hash)}`, row]))
      for (const one of step) {
        const row = found.get(`${one.cid.code} ${toLatin1(one.cid.multihash.bytes)}`)
        one.isLoaded = true
        if (row === undefined) continue
        one.before = row.links
        one.wasStored = row.held === 1
        one.isIn = one.wasStored
        one.isStored = one.wasStored ? true : null
      }
    }
  }

  /** The links of a block that enters or leaves the tree. */
  async function below(one: Counted): Promise<readonly CID[]> {
    walked += 1
    if (walked > tree.blocksMax) {
      throw new Fault('command_failed', { detail: `DAG has more than ${tree.blocksMax} blocks` })
    }
    if (walked % turnBlocks === 0) await setImmediate()
    const made = tree.blocks.made(one.cid)
    if (made === 'staged') {
      one.isStored = true
      return []
    }
    if (one.isStored === false || (one.isStored === true && linkless.includes(one.cid.code)))
      return []
    const block = made ?? (await tree.stored(one.cid))
    if (one.isStored === null) {
      one.isStored = block !== null
      if (block !== null) await tree.blocks.stage(one.cid, block)
    }
    return block === null ? [] : followable(one.cid, block)
  }

  change(to, 1)
  if (from !== null) change(from, -1)
  while (queue.size > 0) {
    const some = next()
    for (const one of some) queue.delete(one)
    await load(some)
    for (const one of some) {
      const isIn = one.before + one.delta > 0
      if (isIn === one.isIn) continue
      one.isIn = isIn
      for (const cid of await below(one)) change(cid, isIn ? 1 : -1)
    }
  }
  return toRows([...all.values()])
}

function toRows(all: readonly Counted[]): LinkCounts {
  const rowOf = ({ cid, before, delta, isStored }: Counted): MfsBlockRow => ({
    hash: cid.multihash.bytes,
    codec: cid.code,
    links: before + delta,
    held: isStored === true ? 1 : 0,
  })
  const stays = ({ before, delta }: Counted): boolean => before + delta > 0
  // The row is inserted again, so that the trigger counts the block.
  const arrived = ({ before, isStored, wasStored }: Counted): boolean =>
    before > 0 && isStored === true && !wasStored
  const isNew = (one: Counted): boolean => stays(one) && (one.before === 0 || arrived(one))
  return {
    added: all.filter(isNew).map(rowOf),
    changed: all.filter((one) => one.delta !== 0 && stays(one) && !isNew(one)).map(rowOf),
    removed: all.filter((one) => one.before > 0 && (!stays(one) || arrived(one))).map(rowOf),
  }
}

/** Links of a block; none if it cannot be decoded. Its links then count neither when it enters the tree nor when it leaves. */
function followable(cid: CID, block: Uint8Array): readonly CID[] {
  try {
    return linksOf(cid, block).map((link) => link.cid)
  } catch (thrown) {
    if (thrown instanceof Fault) return []
    throw thrown
  }
}
