// Blocks for a walk that is told what comes next: siblings that are in the store are read ahead, many in one go, and
// so without holding the thread while a disk is slow. Whatever a run does not have is read as ever.
// Tested by src/gateway/operations/cars.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { copyBytes } from '../../base/copy-bytes.ts'
import { toBareHex } from '../../base/hex.ts'
import { leafPrefix, leafSuffix } from '../../codec/leaf-frame.ts'
import { identityCode } from '../../codec/multihash.ts'
import type { StoredGroup, StoredPiece } from '../../content/store.ts'
import type { BlockReader, ReadBlock } from './blocks.ts'

type Run = {
  readonly cids: readonly CID[]
  readonly groups: AsyncGenerator<StoredGroup>
  group: StoredGroup
  /** In `cids`, and in `group`. */
  next: number
  inGroup: number
}

/** Blocks of one run. */
const runBlocks = 256
/** How much may be read before other work gets a turn. */
const turnBytes = 512 * 1024
/** A smaller block may be held on to; a larger one is valid until the next is read. */
const copiedBytesMax = 64 * 1024

/** For one walk. A block of 64 KiB or more is valid until the next one is asked for. Throws as `read`. */
export function readInRuns(read: BlockReader): ReadBlock {
  let expected: readonly CID[] = []
  let run: Run | null = null
  let lost = false
  let sinceTurn = 0
  /** Where large leaves are put together: the collector had more work with fresh room than the hash. */
  let room = new Uint8Array(0)

  async function take(cid: CID): Promise<Uint8Array> {
    // In no run: it is read from itself.
    if (cid.multihash.code === identityCode) return await read(cid)
    if (run !== null && run.cids[run.next]?.equals(cid) !== true) await endRun()
    // The first that was expected is asked for only after a block without links: its siblings are likely leaves, too.
    if (run === null && !lost && expected.length > 1 && expected[0]?.equals(cid) === true) {
      run = { cids: expected, groups: read.leaves(expected), group: [], next: 0, inGroup: 0 }
    }
    expected = []
    if (run === null) return await read(cid)
    const piece = await nextPiece(run)
    if (piece !== null) {
      sinceTurn += piece.data.length
      if (sinceTurn >= turnBytes) {
        sinceTurn = 0
        await setImmediate()
      }
      return blockOf(piece)
    }
    lost = true
    await endRun()
    return await read(cid)
  }

  async function nextPiece(from: Run): Promise<StoredPiece | null> {
    from.next += 1
    if (from.inGroup === from.group.length) {
      const step = await from.groups.next()
      from.group = step.done === true ? [] : step.value
      from.inGroup = 0
    }
    from.inGroup += 1
    return from.group[from.inGroup - 1] ?? null
  }

  function blockOf({ data, leaf }: StoredPiece): Uint8Array {
    if (!leaf) return data.length < copiedBytesMax ? Uint8Array.from(data) : data
    const prefix = leafPrefix(data.length)
    const suffix = leafSuffix(data.length)
    const length = prefix.length + data.length + suffix.length
    if (length >= copiedBytesMax && room.length < length) room = new Uint8Array(length)
    const block = length < copiedBytesMax ? new Uint8Array(length) : room.subarray(0, length)
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
    if (lost) {
      read.expect?.(cids)
      return
    }
    expected = firstOf(cids, runBlocks)
    if (run === null) read.expect?.(expected)
  }

  return Object.assign(take, {
    expect,
    forget: () => {
      read.forget?.()
      // Nothing is read any more; its buffers go back when what is on its way has come.
      void endRun().catch(() => undefined)
    },
  })
}

/** Each once, and none that is read from itself. */
function firstOf(cids: Iterable<CID>, most: number): readonly CID[] {
  const all = new Map<string, CID>()
  for (const cid of cids) {
    if (cid.multihash.code === identityCode) continue
    all.set(toBareHex(cid.bytes), cid)
    if (all.size === most) break
  }
  return [...all.values()]
}
