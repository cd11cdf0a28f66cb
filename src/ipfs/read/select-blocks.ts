// The blocks that a client needs to verify a path and its content, or a part of it: first those on the path, then those of the
// selection, depth first. Iterative, with limits for visits and open links.
// Rule: https://specs.ipfs.tech/http-gateways/trustless-gateway/ (dag-scope, entity-bytes)
// Tested by src/ipfs-gateway/path-car.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault, hasCode } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import { decodeMultihash, identityCode } from '../../codec/ipld/multihash.ts'
import type { BlockReader, ReadBlock } from './blocks.ts'
import { listShard, rootShard, type ShardPlace } from '../import/hamt.ts'
import { linksOf, openLinksMax } from './links.ts'
import { decodeNode, type FileNode, linkCid } from './node.ts'
import { type FileShape, fileShape } from './read-file.ts'
import type { TracedPath } from './path.ts'
import { readInRuns } from './read-in-runs.ts'
import type { SelectedBlock, DagScope } from './dag-scope.ts'
import { lookAheadLinks, turnLinks } from './walk.ts'

/** `at`, `size`: range of bytes of the file; `place`: position of a shard. `whole`: everything below the child is selected. */
type Child = {
  readonly cid: CID
  readonly at: bigint
  readonly size: bigint | null
  readonly place: ShardPlace
  readonly whole: boolean
}
type Level = { readonly children: readonly Child[]; next: number }
/** Range of bytes of a file, the end included. */
type Span = { readonly from: bigint; readonly to: bigint }

const turnBlocks = 128
/** Only malicious DAGs are deeper. */
const levelsMax = 1024

/**
 * A block of 64 KiB or more is valid until the next one is requested. Blocks of identity CIDs are omitted. Throws `command_failed`
 * past `visitsMax` blocks, for codecs whose links Cairn cannot decode and for malformed nodes; and the errors of `read`.
 */
export async function* selectBlocks(
  path: TracedPath,
  selection: DagScope,
  visitsMax: number,
  read: BlockReader,
): AsyncGenerator<SelectedBlock> {
  const inRuns = readInRuns(read)
  try {
    yield* walk(path, selection, visitsMax, inRuns)
  } finally {
    inRuns.forget?.()
  }
}

async function* walk(
  path: TracedPath,
  selection: DagScope,
  visitsMax: number,
  read: ReadBlock,
): AsyncGenerator<SelectedBlock> {
  const sent = new Set<string>()
  const entered = new Set<string>()
  let visits = 0
  let links = 0

  for (const cid of path.passed) yield* emit(cid, await visit(read(cid)))

  const top = { cid: path.cid, at: 0n, size: null, place: rootShard, whole: true }
  const block = await visit(read(path.cid))
  yield* emit(path.cid, block)
  const span = spanOf(path.cid, block, selection)
  const levels: Level[] = [enter(top, block)]
  let openLinks = levels[0]?.children.length ?? 0
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const child = level.children[level.next]
    if (child === undefined) {
      levels.pop()
      openLinks -= level.children.length
      continue
    }
    level.next += 1
    const key = entryOf(child.cid)
    if (child.whole && !selection.duplicates) {
      links += 1
      if (links % turnLinks === 0) await setImmediate()
      if (entered.has(key)) continue
      entered.add(key)
    }
    const reading = read(child.cid)
    read.expect?.(aheadOf(levels))
    const below = await visit(reading)
    if (levels.length >= levelsMax) throw failed(`DAG is deeper than ${levelsMax} levels`)
    // Before the block is sent, so that a part that differs from its parent's claim is never sent.
    let next = enter(child, below)
    // Children may be views of the block's bytes, whose buffer is reused, so the bytes are copied.
    if (next.children.length > 0) next = enter(child, Uint8Array.from(below))
    yield* emit(child.cid, below)
    if (next.children.length === 0) continue
    openLinks += next.children.length
    if (openLinks > openLinksMax) throw failed('DAG has too many links on one path')
    levels.push(next)
  }

  async function visit(reading: Promise<Uint8Array>): Promise<Uint8Array> {
    visits += 1
    const bytes = await reading
    if (visits > visitsMax) throw failed(`DAG has more than ${visitsMax} blocks`)
    if (visits % turnBlocks === 0) await setImmediate()
    return bytes
  }

  function* emit(cid: CID, bytes: Uint8Array): Generator<SelectedBlock> {
    if (decodeMultihash(cid.multihash.bytes).code === identityCode) return
    if (!selection.duplicates) {
      const key = keyOf(cid)
      if (sent.has(key)) return
      sent.add(key)
    }
    yield { cid, block: bytes }
  }

  /** The likely next blocks within a bounded look-ahead: the rest of the newest level first. */
  function* aheadOf(levels: readonly Level[]): Generator<CID> {
    let looked = 0
    for (const { children, next } of levels.toReversed()) {
      for (let at = next; at < children.length; at++) {
        looked += 1
        if (looked > lookAheadLinks) return
        const { cid, whole } = children[at] as Child
        const skipped = whole && !selection.duplicates && entered.has(entryOf(cid))
        if (!skipped) yield cid
      }
    }
  }

  function enter(from: Child, bytes: Uint8Array): Level {
    return { children: childrenOf(from, bytes, selection, span), next: 0 }
  }
}

/** Null: everything, or content without bytes. Empty (`to` before `from`) if the file has none of the bytes. */
function spanOf(cid: CID, block: Uint8Array, { scope, bytes }: DagScope): Span | null {
  if (scope !== 'entity' || bytes === null) return null
  const shape = findShape(cid, block)
  if (shape === null) return null
  const { size } = shape
  const absolute = (place: bigint): bigint => (place < 0n ? size + place : place)
  const from = absolute(bytes.from)
  const to = bytes.to === null ? size - 1n : absolute(bytes.to)
  return { from: from < 0n ? 0n : from, to: to < size ? to : size - 1n }
}

function childrenOf(
  from: Child,
  block: Uint8Array,
  { scope }: DagScope,
  span: Span | null,
): readonly Child[] {
  const rest = { at: 0n, size: null, place: rootShard, whole: true }
  if (scope === 'block') return []
  if (scope === 'all') return linksOf(from.cid, block).map(({ cid }) => ({ cid, ...rest }))
  if (from.size !== null) return partsOf(from, fileShape(from.cid, block), span)
  const node = findUnixfs(from.cid, block)
  if (node?.kind !== 'unixfs') return []
  const { type } = node.unixfs
  if (type === 'hamt') {
    return listShard(node.dag, node.unixfs, from.place).flatMap((slot) =>
      slot.kind === 'shard' ? [{ ...rest, cid: linkCid(slot.link), place: slot.at }] : [],
    )
  }
  if (type !== 'file' && type !== 'raw') return []
  return partsOf(from, fileShape(from.cid, block), span)
}

/** The children of a file node that contain bytes of the span. */
function partsOf(from: Child, shape: FileShape, span: Span | null): readonly Child[] {
  if (from.size !== null && from.size !== shape.size) {
    throw failed(`block ${from.cid.toString()} is not as large as its parent says`)
  }
  const parts: Child[] = []
  let at = from.at + BigInt(shape.inline.length)
  for (const { cid, size } of shape.children) {
    const end = at + size
    const part = { cid, at, size, place: rootShard }
    if (span === null) parts.push({ ...part, whole: true })
    else if (at <= span.to && end > span.from && size > 0n && span.from <= span.to) {
      parts.push({ ...part, whole: at >= span.from && end - 1n <= span.to })
    }
    at = end
  }
  return parts
}

/** Null: not a file. */
function findShape(cid: CID, block: Uint8Array): FileShape | null {
  const node = findUnixfs(cid, block)
  if (node === null) return null
  if (node.kind === 'unixfs' && !['file', 'raw'].includes(node.unixfs.type)) return null
  return fileShape(cid, block)
}

/** Null: not UnixFS, so only the block itself is selected. */
function findUnixfs(cid: CID, block: Uint8Array): FileNode | null {
  try {
    return decodeNode(cid, block)
  } catch (thrown) {
    if (hasCode(thrown, 'command_failed')) return null
    throw thrown
  }
}

/** Includes the codec: the same bytes have other links under another codec. */
function entryOf(cid: CID): string {
  return `${cid.code}:${keyOf(cid)}`
}

function keyOf(cid: CID): string {
  return toBareHex(cid.multihash.bytes)
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
