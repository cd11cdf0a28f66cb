// All blocks below a root, each once, in depth-first order. Iterative, bounded in blocks.
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault, hasCode } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import type { ReadBlock } from './blocks.ts'
import { linkless, linksOf } from './links.ts'

/**
 * What was visited: multihash, and the first CID it was met by, as `spellingOf`. Shared between walks to visit each block
 * once over all of them.
 */
export type Visited = Map<string, number>

/** `block`: null when `read` had none to give. */
export type WalkedBlock = { readonly cid: CID; readonly block: Uint8Array | null }

/** Null = what is below is skipped. */
export type ReadSome = ((cid: CID) => Promise<Uint8Array | null>) &
  Pick<ReadBlock, 'expect' | 'forget'>

/** Links that wait to be followed, as bytes of their CIDs: eight whole blocks of nothing else on one path. */
const openBytesMax = 16 * 1024 * 1024
/**
 * Links that are looked at for what comes next, whether they come to anything or not: a look at every block, through all
 * that waits, would cost links times blocks.
 */
export const lookAheadLinks = 512
/** How many blocks may be walked before other work gets a turn. */
const turnBlocks = 128
/** The same of links, most of which may lead to what was visited. */
export const turnLinks = 4096

/**
 * Yields each block not yet in `visited`, by multihash. `read` null = skip what is below that CID. Throws
 * `command_failed` past `blocksMax`, with too many links on one path, and for codecs whose links are not known here.
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
 * As `walkBlocks`, but yields each CID: a block that is linked by CIDs of other versions or codecs as well comes once
 * for each of them, `block` null from the second on. They count to `blocksMax`.
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

  // One run of binary CIDs for each level: links as objects would hold a hundred times the bytes of a block.
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
    // The same bytes under another codec are the same block, but what they link to may not have been seen.
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

/** CIDs of one block differ by codec and version alone. */
function spellingOf({ code, version }: CID): number {
  return code * 2 + version
}

/** What the walk comes to next, as far as a short look tells: links of the newest level first. */
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

/** For walks over what is here: null in place of `command_failed`, so that a lost block does not hide the rest. */
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
