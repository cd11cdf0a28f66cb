// Reads blocks for a walk that knows its next links: siblings in the store are read ahead in one sequential read, without blocking
// the thread on a slow disk. Blocks that a run does not have are read one by one.
// Tested by src/kubo/commands/dag/cars.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { copyBytes } from '../../base/copy-bytes.ts'
import { toBareHex } from '../../base/hex.ts'
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import type { ReadBatch, StoredChunk } from '../../content/block-store.ts'
import type { BlockReader, ReadBlock } from './blocks.ts'

type Run = {
  readonly cids: readonly CID[]
  readonly groups: AsyncGenerator<ReadBatch>
  group: ReadBatch
  /** Positions in `cids`, and in `group`. */
  next: number
  inGroup: number
}

/** Maximum number of blocks of one run. */
const runBlocks = 256
/**
 * A run begins only after a block of at least this size. Smaller blocks are in the page cache; reading them in another thread takes
 * longer than reading them directly.
 */
const runBytesMin = 4096
/**
 * Blocks that may be read between two blocks of a run, such as those below a small node among leaves: this many, or a quarter of
 * the remaining run if that is less. Past that the run ends. This spreads the cost of starting and ending a run over the blocks
 * that it serves.
 */
const asideMax = 16
/** Bytes that are read before yielding to other work. */
const turnBytes = 512 * 1024
/** A smaller block is copied and stays valid; a larger one is valid until the next one is read. */
const copiedBytesMax = 64 * 1024

/** Reader for one walk. A block of 64 KiB or more is valid until the next one is requested. Throws as `read`. */
export function readInRuns(read: BlockReader): ReadBlock {
  let expected: Iterable<CID> | null = null
  let run: Run | null = null
  let aside = 0
  let lastBytes = 0
  let lost = false
  let sinceTurn = 0
  /** Buffer in which large leaves are assembled: with new buffers, garbage collection took longer than hashing. */
  let leafBuffer = new Uint8Array(0)

  async function readBlock(cid: CID): Promise<Uint8Array> {
    // Identity CIDs are in no run: they contain their block.
    if (cid.multihash.code === identityCode) return await read(cid)
    const block = (await fromRun(cid)) ?? (await read(cid))
    lastBytes = block.length
    return block
  }

  /** Null: the block has to be read separately. */
  async function fromRun(cid: CID): Promise<Uint8Array | null> {
    const next = expected
    expected = null
    if (run !== null && !(await advanceTo(run, cid))) {
      aside += 1
      if (aside <= Math.min(asideMax, (run.cids.length - run.next) / 4)) return null
      await endRun()
    }
    if (run === null) run = beginRun(cid, next)
    if (run === null) return null
    aside = 0
    const piece = await nextPiece(run)
    if (piece === null) {
      lost = true
      await endRun()
      return null
    }
    sinceTurn += piece.data.length
    if (sinceTurn >= turnBytes) {
      sinceTurn = 0
      await setImmediate()
    }
    return blockOf(piece)
  }

  /** Skips blocks of the run that the walk has already visited elsewhere. False: the run does not contain the block. */
  async function advanceTo(from: Run, cid: CID): Promise<boolean> {
    const at = from.cids.findIndex((each, index) => index >= from.next && each.equals(cid))
    if (at === -1) return false
    while (from.next < at) await nextPiece(from)
    return true
  }

  /** The first expected block is requested next only after a block without links; its siblings are probably leaves, too. */
  function beginRun(cid: CID, next: Iterable<CID> | null): Run | null {
    if (next === null || lost || lastBytes < runBytesMin) return null
    if (firstOf(next, 1)[0]?.equals(cid) !== true) return null
    const cids = firstOf(next, runBlocks)
    if (cids.length === 1) return null
    return { cids, groups: read.leaves(cids), group: [], next: 0, inGroup: 0 }
  }

  async function nextPiece(from: Run): Promise<StoredChunk | null> {
    from.next += 1
    if (from.inGroup === from.group.length) {
      const step = await from.groups.next()
      from.group = step.done === true ? [] : step.value
      from.inGroup = 0
    }
    from.inGroup += 1
    return from.group[from.inGroup - 1] ?? null
  }

  function blockOf({ data, leaf }: StoredChunk): Uint8Array {
    if (!leaf) return data.length < copiedBytesMax ? Uint8Array.from(data) : data
    const prefix = leafPrefix(data.length)
    const suffix = leafSuffix(data.length)
    const length = prefix.length + data.length + suffix.length
    if (length >= copiedBytesMax && leafBuffer.length < length) leafBuffer = new Uint8Array(length)
    const block = length < copiedBytesMax ? new Uint8Array(length) : leafBuffer.subarray(0, length)
    block.set(prefix)
    copyBytes(data, block, prefix.length)
    block.set(suffix, prefix.length + data.length)
    return block
  }

  async function endRun(): Promise<void> {
    const ended = run
    run = null
    await ended?.groups.return(undefined)
  }

  function expect(cids: Iterable<CID>): void {
    if (run !== null && run.next < run.cids.length) return
    expected = remembered(cids)
    if (run === null) read.expect?.(expected)
  }

  return Object.assign(readBlock, {
    expect,
    forget: () => {
      read.forget?.()
      // No more reads follow; buffers are returned when the pending read has completed.
      void endRun().catch(() => undefined)
    },
  })
}

/** The first `most` distinct CIDs, without identity CIDs. */
function firstOf(cids: Iterable<CID>, most: number): readonly CID[] {
  const all = new Map<string, CID>()
  for (const cid of cids) {
    if (cid.multihash.code === identityCode) continue
    all.set(toBareHex(cid.bytes), cid)
    if (all.size === most) break
  }
  return [...all.values()]
}

/**
 * An iterable that can be iterated repeatedly. Its first item is read now; the others when a reader needs them, which must be
 * before the walk takes more than one further step.
 */
function remembered<T>(items: Iterable<T>): Iterable<T> {
  const source = items[Symbol.iterator]()
  const known: T[] = []
  const pull = (): boolean => {
    const step = source.next()
    if (step.done !== true) known.push(step.value)
    return step.done !== true
  }
  pull()
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < known.length || pull(); at += 1) yield known[at] as T
    },
  }
}
