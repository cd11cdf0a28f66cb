// Walks all blocks below a root, each once, in depth-first order. Iterative, with a limit of blocks.
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault, hasCode } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import type { ReadBlock } from './blocks.ts'
import { linkless, linksOf } from './links.ts'

/**
 * Visited blocks: the multihash, and `spellingOf` of the first CID that referred to it. Several walks can share it to visit each
 * block only once.
 */
export type Visited = Map<string, number>

/** `block`: null if `read` returned none. */
export type WalkedBlock = { readonly cid: CID; readonly block: Uint8Array | null }

/** Returns null: the walk skips the blocks below. */
export type ReadSome = ((cid: CID) => Promise<Uint8Array | null>) &
  Pick<ReadBlock, 'expect' | 'forget'>

/** Maximum bytes of CIDs of links that still have to be followed: eight whole blocks of links on one path. */
const openBytesMax = 16 * 1024 * 1024
/**
 * Maximum number of links that are checked to find the next blocks: checking all open links for every block would cost links times
 * blocks.
 */
export const lookAheadLinks = 512
/** Blocks that are walked before yielding to other work. */
const turnBlocks = 128
/** The same for links, most of which may refer to visited blocks. */
export const turnLinks = 4096

/**
 * Yields each block not yet in `visited`, by multihash. If `read` returns null, the blocks below that CID are skipped. Throws
 * `command_failed` past `blocksMax`, with too many links on one path, and for codecs whose links Cairn cannot decode.
 */
export async function* walkBlocks(
  root: CID,
  visited: Visited,
  blocksMax: number,
  read: ReadSome,
): AsyncGenerator<WalkedBlock> {
  try {
    yield* walk(root, visited, blocksMax, read, false)
  } finally {
    read.forget?.()
  }
}

/**
 * As `walkBlocks`, but yields each distinct CID: a block that is also linked by CIDs of other versions or codecs is yielded once
 * for each, with `block` null from the second on. They count towards `blocksMax`.
 */
export async function* walkCids(
  root: CID,
  visited: Visited,
  blocksMax: number,
  read: ReadSome,
): AsyncGenerator<WalkedBlock> {
  try {
    yield* walk(root, visited, blocksMax, read, true)
  } finally {
    read.forget?.()
  }
}

async function* walk(
  root: CID,
  visited: Visited,
  blocksMax: number,
  read: ReadSome,
  spellings: boolean,
): AsyncGenerator<WalkedBlock> {
  function visit(key: string, cid: CID): void {
    if (visited.size >= blocksMax) {
      throw new Fault('command_failed', { detail: `DAG has more than ${blocksMax} blocks` })
    }
    visited.set(key, spellingOf(cid))
  }

  // One byte string of CIDs per level: links as objects would need a hundred times the bytes of a block.
  const open: Uint8Array[] = [root.bytes]
  let openBytes = root.bytes.length
  let links = 0
  for (let run = open.at(-1); run !== undefined; run = open.at(-1)) {
    if (run.length === 0) {
      open.pop()
      continue
    }
    links += 1
    if (links % turnLinks === 0) await setImmediate()
    const [cid, rest] = CID.decodeFirst(run)
    openBytes -= run.length - rest.length
    open[open.length - 1] = rest
    const key = toBareHex(cid.multihash.bytes)
    const met = visited.get(key)
    if (met === spellingOf(cid)) continue
    if (met !== undefined && spellings) {
      const spelling = `${spellingOf(cid)} ${key}`
      if (!visited.has(spelling)) {
        visit(spelling, cid)
        yield { cid, block: null }
      }
    }
    // The same bytes under another codec are the same block, but may have links that were not visited.
    const form = met === undefined || Math.floor(met / 2) === cid.code ? key : `${cid.code}:${key}`
    if (visited.has(form) || (met !== undefined && linkless.includes(cid.code))) continue
    visit(form, cid)
    if (visited.size % turnBlocks === 0) await setImmediate()
    const reading = read(cid)
    read.expect?.(notVisited(open, visited))
    const block = await reading
    if (met === undefined) yield { cid, block }
    if (block === null) continue
    const below = Buffer.concat(linksOf(cid, block).map((link) => link.cid.bytes))
    openBytes += below.length
    if (openBytes > openBytesMax) {
      throw new Fault('command_failed', { detail: 'DAG has too many links on one path' })
    }
    open.push(below)
  }
}

/** CIDs of one block differ only in codec and version. */
function spellingOf({ code, version }: CID): number {
  return code * 2 + version
}

/** The likely next blocks within a bounded look-ahead: links of the newest level first. */
function* notVisited(open: readonly Uint8Array[], visited: Visited): Generator<CID> {
  let looked = 0
  for (let level = open.length - 1; level >= 0; level -= 1) {
    for (let left = open[level] ?? new Uint8Array(0); left.length > 0;) {
      looked += 1
      if (looked > lookAheadLinks) return
      const [cid, rest] = CID.decodeFirst(left)
      left = rest
      if (!visited.has(toBareHex(cid.multihash.bytes))) yield cid
    }
  }
}

/**
 * For walks over stored blocks: returns null instead of throwing `command_failed`, so that a missing block does not hide the
 * others.
 */
export function storedOnly(read: ReadBlock): (cid: CID) => Promise<Uint8Array | null> {
  return async (cid) => {
    try {
      return await read(cid)
    } catch (thrown) {
      if (hasCode(thrown, 'command_failed')) return null
      throw thrown
    }
  }
}
