// The bytes of a file, walked lazily and without recursion. Sizes in nodes are claims: a child that is not
// as large as its parent says ends the stream. At most 16 blocks of 4 MiB together are on their way at a time.
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import type { ReadBatch, StoredChunk } from '../../content/block-store.ts'
import type { BlockReader } from './blocks.ts'
import { openLinksMax } from './links.ts'
import { decodeNode, linkCid } from './node.ts'

/** `inline`: bytes the node holds itself, before those of its children. `size`: all bytes below it. */
export type FileShape = {
  readonly size: bigint
  readonly inline: Uint8Array
  readonly children: readonly Child[]
}

type Child = { readonly cid: CID; readonly size: bigint }

/** Blocks on their way, and their bytes: of two or more blocks. */
const blocksAhead = 16
const bytesAhead = 4n * 1024n * 1024n
/** How much may be read before other work gets a turn: what is in the store needs none of its own. */
const turnBlocks = 128
const turnBytes = 1024 * 1024
/** Trickle DAGs of 2^40 bytes stay below it; only made-up DAGs are deeper. */
const depthMax = 64

/**
 * What a block says of the file it is the root or a part of; a symbolic link is a file of its target. Throws
 * `command_failed`: Kubo's texts for directories and other codecs, and for nodes whose sizes do not add up.
 */
export function fileShape(cid: CID, block: Uint8Array): FileShape {
  const node = decodeNode(cid, block)
  if (node.kind === 'raw') {
    return { size: BigInt(block.length), inline: block, children: [] }
  }
  const { type, data, blockSizes, fileSize } = node.unixfs
  if (type === 'directory' || type === 'hamt') throw failed('this dag node is a directory')
  if (type === 'metadata') throw failed('unknown node type')
  if (blockSizes.length !== node.dag.links.length) {
    throw failed('malformed file node: one blocksize a link is needed')
  }
  const inline = data ?? new Uint8Array(0)
  const children = node.dag.links.map((link, index) => ({
    cid: linkCid(link),
    size: blockSizes[index] ?? 0n,
  }))
  const size = blockSizes.reduce((sum, each) => sum + each, BigInt(inline.length))
  if (fileSize !== null && fileSize !== size) {
    throw failed('malformed file node: blocksizes do not add up to the filesize')
  }
  return { size, inline, children }
}

type Frame = {
  readonly shape: FileShape
  /** Where in the file the next child starts. */
  at: bigint
  next: number
  /** Whether the last child was a leaf: then its siblings are worth fetching early. */
  leaves: boolean
  /** The siblings that follow, read in one go; null before, and `lost` once one of them was not to be had so. */
  run: AsyncGenerator<ReadBatch> | null
  /** What came of `run` last, and how much of it was taken. */
  group: ReadBatch
  taken: number
  lost: boolean
  readonly ahead: Map<number, Promise<Uint8Array>>
}

/**
 * Bytes `start` to `end` (not included) of the file whose root has `root`. Blocks outside are not read.
 * `read` gives verified blocks; chunks are views of them, valid until the next one is asked for. What fails ends
 * the stream with an error.
 */
export async function* readFile(
  root: FileShape,
  start: bigint,
  end: bigint,
  read: BlockReader,
): AsyncGenerator<Uint8Array> {
  if (start >= end) return
  yield* slice(root.inline, 0n)
  const frames = [enter(root, 0n)]
  let openLinks = root.children.length
  let onTheirWay = 0
  let bytesOnTheirWay = 0n
  let blocks = 0
  let sinceTurn = 0
  /** How many frames were open where the last leaf was: in a balanced file, all leaves are there. */
  let leafDepth = 0
  /** Neighbours in one buffer go out as one chunk: those of one group, which are valid together. */
  let held: Uint8Array | null = null

  try {
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const index = frame.next
      const child = frame.shape.children[index]
      if (child === undefined || frame.at >= end) {
        if (held !== null) yield held
        held = null
        await endRun(frame)
        frames.pop()
        openLinks -= frame.shape.children.length
        continue
      }
      const at = frame.at
      frame.next += 1
      frame.at += child.size
      if (frame.at <= start || child.size === 0n) continue
      blocks += 1
      if (blocks % turnBlocks === 0 || sinceTurn >= turnBytes) {
        sinceTurn = 0
        await setImmediate()
      }
      const { data, leaf } = await readChild(frame, index, at)
      if (frame.lost && frame.run !== null) {
        if (held !== null) yield held
        held = null
        await endRun(frame)
      }
      sinceTurn += data.length
      const shape = leaf ? leafShape(data) : fileShape(child.cid, data)
      if (shape.size !== child.size) {
        throw failed(`block ${child.cid.toString()} is not as large as its parent says`)
      }
      frame.leaves = shape.children.length === 0
      if (frame.leaves) {
        leafDepth = frames.length
        for (const chunk of slice(shape.inline, at)) {
          const joined: Uint8Array | null = held === null ? chunk : joinNeighbours(held, chunk)
          if (joined === null && held !== null) yield held
          held = joined ?? chunk
        }
        if (held === null || frame.taken < frame.group.length) continue
        yield held
        held = null
        continue
      }
      if (held !== null) yield held
      held = null
      // What is kept of a node must not lie in a piece of a run, which is valid for a while only.
      const node = frame.run === null ? shape : fileShape(child.cid, Uint8Array.from(data))
      await endRun(frame)
      yield* slice(node.inline, at)
      if (frames.length >= depthMax) throw failed(`file DAG is deeper than ${depthMax} levels`)
      openLinks += node.children.length
      if (openLinks > openLinksMax) throw failed('file DAG has too many links on one path')
      const below = enter(node, at)
      below.leaves = leafDepth === frames.length + 1
      frames.push(below)
    }
  } finally {
    for (const frame of frames) await endRun(frame)
  }

  /** What is stored comes in runs, what is not is fetched a few at a time. */
  async function readChild(frame: Frame, index: number, at: bigint): Promise<StoredChunk> {
    if (frame.leaves && !frame.lost) {
      if (frame.taken === frame.group.length) await nextGroup(frame, index, at)
      const piece = frame.group[frame.taken] ?? null
      frame.taken += 1
      if (piece !== null) return piece
      frame.lost = true
    }
    fetchAhead(frame, index, at)
    const { cid } = frame.shape.children[index] as Child
    return { data: await take(frame, index, cid), leaf: false }
  }

  async function nextGroup(frame: Frame, index: number, at: bigint): Promise<void> {
    frame.run ??= read.leaves(neededFrom(frame, index, at))
    const step = await frame.run.next()
    frame.group = step.done === true ? [] : step.value
    frame.taken = 0
  }

  async function endRun(frame: Frame): Promise<void> {
    await frame.run?.return(undefined)
    frame.run = null
    frame.group = []
    frame.taken = 0
  }

  /** The children from `index` on that will be asked for, one after the other. */
  function neededFrom(frame: Frame, index: number, from: bigint): readonly CID[] {
    const cids: CID[] = []
    let at = from
    for (const child of frame.shape.children.slice(index)) {
      if (at >= end) break
      at += child.size
      if (child.size > 0n) cids.push(child.cid)
    }
    return cids
  }

  function* slice(bytes: Uint8Array, at: bigint): Generator<Uint8Array> {
    const from = start > at ? start - at : 0n
    const to = end - at < BigInt(bytes.length) ? end - at : BigInt(bytes.length)
    if (from < to) yield bytes.subarray(Number(from), Number(to))
  }

  /** Begins reading the siblings that follow, as long as few enough blocks are on their way. */
  function fetchAhead(frame: Frame, index: number, from: bigint): void {
    if (!frame.leaves) return
    let at = from
    for (let ahead = index; ahead < index + blocksAhead; ahead += 1) {
      const sibling = frame.shape.children[ahead]
      if (sibling === undefined || at >= end) return
      at += sibling.size
      if (sibling.size === 0n || frame.ahead.has(ahead)) continue
      if (onTheirWay >= blocksAhead) return
      if (onTheirWay > 0 && bytesOnTheirWay + sibling.size > bytesAhead) return
      onTheirWay += 1
      bytesOnTheirWay += sibling.size
      const block = read(sibling.cid)
      // A failure is thrown where the block is taken; until then it must not count as unhandled.
      block.catch(() => undefined)
      frame.ahead.set(ahead, block)
    }
  }

  async function take(frame: Frame, index: number, cid: CID): Promise<Uint8Array> {
    const early = frame.ahead.get(index)
    if (early === undefined) return await read(cid)
    frame.ahead.delete(index)
    onTheirWay -= 1
    bytesOnTheirWay -= frame.shape.children[index]?.size ?? 0n
    return await early
  }
}

function enter(shape: FileShape, at: bigint): Frame {
  const first = at + BigInt(shape.inline.length)
  return {
    shape,
    at: first,
    next: 0,
    leaves: false,
    run: null,
    group: [],
    taken: 0,
    lost: false,
    ahead: new Map(),
  }
}

/** Both as one, when the second begins where the first ends; else null. */
function joinNeighbours(first: Uint8Array, second: Uint8Array): Uint8Array | null {
  const end = first.byteOffset + first.length
  if (first.buffer !== second.buffer || end !== second.byteOffset) return null
  return new Uint8Array(first.buffer, first.byteOffset, first.length + second.length)
}

function leafShape(data: Uint8Array): FileShape {
  return { size: BigInt(data.length), inline: data, children: [] }
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
