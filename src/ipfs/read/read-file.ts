// Streams the bytes of a file, lazily and without recursion. Sizes in nodes are claims: a child whose size differs from its
// parent's claim ends the stream with an error. At most 16 blocks, 4 MiB together, are fetched at the same time.
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import type { ReadBatch, StoredChunk } from '../../content/block-store.ts'
import type { BlockReader } from './blocks.ts'
import { openLinksMax } from './links.ts'
import { decodeNode, linkCid } from './node.ts'

/** `inline`: bytes in the node itself, before those of its children. `size`: all bytes below the node. */
export type FileShape = {
  readonly size: bigint
  readonly inline: Uint8Array
  readonly children: readonly Child[]
}

type Child = { readonly cid: CID; readonly size: bigint }

/** Maximum number of blocks in flight, and of their bytes; one block may exceed the bytes. */
const blocksAhead = 16
const bytesAhead = 4n * 1024n * 1024n
/** Blocks and bytes that are read before yielding to other work: reads from the store do not yield by themselves. */
const turnBlocks = 128
const turnBytes = 1024 * 1024
/** Trickle DAGs of 2^40 bytes are less deep; only malicious DAGs are deeper. */
const depthMax = 64

/**
 * The file size, inline bytes and children that a block describes; a symbolic link is a file whose content is its target. Throws
 * `command_failed`: Kubo's texts for directories and other codecs, and for nodes with inconsistent sizes.
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
    throw failed('malformed file node: each link needs a blocksize')
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
  /** Offset in the file at which the next child starts. */
  at: bigint
  next: number
  /** Whether the last child was a leaf; its siblings are then fetched early. */
  leaves: boolean
  /** Sequential read of the following siblings; null before. `lost`: one of them was not available in the run. */
  run: AsyncGenerator<ReadBatch> | null
  /** The current batch of `run`, and how many of its entries were used. */
  group: ReadBatch
  taken: number
  lost: boolean
  readonly ahead: Map<number, Promise<Uint8Array>>
}

/**
 * Streams bytes `start` to `end` (exclusive) of the file with the root `root`. Blocks outside the range are not read. `read`
 * returns verified blocks; chunks are views of them, valid until the next one is requested. An error ends the stream.
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
  let inFlight = 0
  let bytesInFlight = 0n
  let blocks = 0
  let sinceTurn = 0
  /** Number of open frames at the last leaf: in a balanced file, all leaves have this depth. */
  let leafDepth = 0
  /** Adjacent pieces of one buffer are yielded as one chunk: pieces of one batch are valid together. */
  let pendingChunk: Uint8Array | null = null

  try {
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const index = frame.next
      const child = frame.shape.children[index]
      if (child === undefined || frame.at >= end) {
        if (pendingChunk !== null) yield pendingChunk
        pendingChunk = null
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
        if (pendingChunk !== null) yield pendingChunk
        pendingChunk = null
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
          const joined: Uint8Array | null =
            pendingChunk === null ? chunk : joinNeighbours(pendingChunk, chunk)
          if (joined === null && pendingChunk !== null) yield pendingChunk
          pendingChunk = joined ?? chunk
        }
        if (pendingChunk === null || frame.taken < frame.group.length) continue
        yield pendingChunk
        pendingChunk = null
        continue
      }
      if (pendingChunk !== null) yield pendingChunk
      pendingChunk = null
      // The node outlives the batch, so its bytes are copied.
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

  /** Reads stored children in runs, and fetches missing ones a few at a time. */
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
    return { data: await readSibling(frame, index, cid), leaf: false }
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

  /** The children from `index` on that the range needs, in order. */
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

  /** Starts reading the following siblings, up to the limits of blocks in flight. */
  function fetchAhead(frame: Frame, index: number, from: bigint): void {
    if (!frame.leaves) return
    let at = from
    for (let ahead = index; ahead < index + blocksAhead; ahead += 1) {
      const sibling = frame.shape.children[ahead]
      if (sibling === undefined || at >= end) return
      at += sibling.size
      if (sibling.size === 0n || frame.ahead.has(ahead)) continue
      if (inFlight >= blocksAhead) return
      if (inFlight > 0 && bytesInFlight + sibling.size > bytesAhead) return
      inFlight += 1
      bytesInFlight += sibling.size
      const block = read(sibling.cid)
      // The error is thrown where the block is used; until then it must not be an unhandled rejection.
      block.catch(() => undefined)
      frame.ahead.set(ahead, block)
    }
  }

  async function readSibling(frame: Frame, index: number, cid: CID): Promise<Uint8Array> {
    const early = frame.ahead.get(index)
    if (early === undefined) return await read(cid)
    frame.ahead.delete(index)
    inFlight -= 1
    bytesInFlight -= frame.shape.children[index]?.size ?? 0n
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

/** Joins both arrays if the second begins where the first ends; otherwise null. */
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
