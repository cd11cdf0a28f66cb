// Sharded directories (HAMT): entries are placed by the murmur3 hash of their names. Builds them, and validates and searches shards
// for reads.
// Rule: https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory
// Tested by src/ipfs/files.test.ts
import { Fault } from '../../base/fault.ts'
import type { Yielder } from '../../base/yielder.ts'
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { type DagLink, type DagNode, encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { murmur3 } from '../../codec/ipld/murmur3.ts'
import { encodeUnixfs, type UnixfsNode } from '../../codec/ipld/unixfs.ts'
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import { type NamedChild, linkOf } from './folder-memory.ts'

const murmurType = 0x22n
const fanoutMin = 8
const fanoutMax = 1024
const hashBits = 64
/** Names that are placed before yielding to other work: about 5 ms. */
const turnNames = 1000

/** Receives the shards. */
export type ShardSink = Pick<BlockSink, 'put' | 'yielderFor'>

type HamtOptions = { readonly cidVersion: 0 | 1; readonly fanout: number }

/** All entries of the directory, and the hash of each name. */
type Names = { readonly children: readonly NamedChild[]; readonly hashes: BigUint64Array }

/**
 * Builds the sharded directory of `children`, in any order, with `metadata` on its root. Names must differ; `fanout`: a power of
 * two from 8 to 1024. Needs about 30 bytes per entry.
 */
export async function buildHamt(
  children: readonly NamedChild[],
  options: HamtOptions,
  metadata: Metadata,
  sink: ShardSink,
): Promise<Built> {
  const yieldAfter = sink.yielderFor(turnNames)
  const hashes = new BigUint64Array(children.length)
  for (const [index, { name }] of children.entries()) {
    hashes[index] = hashOf(name)
    const turn = yieldAfter(1)
    if (turn !== null) await turn
  }
  const all = Uint32Array.from(children.keys())
  return await buildShard(all, { children, hashes }, 0, { ...options, yieldAfter }, metadata, sink)
}

/**
 * `indexes`: of the entries that are below this shard. Recursion ends at 21 levels: 64 bits of hash, at least 3 a
 * level.
 */
async function buildShard(
  indexes: Uint32Array,
  names: Names,
  depth: number,
  options: HamtOptions & { readonly yieldAfter: Yielder },
  metadata: Metadata,
  sink: ShardSink,
): Promise<Built> {
  const { cidVersion, fanout, yieldAfter } = options
  const bits = Math.log2(fanout)
  if ((depth + 1) * bits > hashBits) throw malformed('names collide in all 64 bits')
  const slots = await sortIntoSlots(indexes, names, depth, options)
  const links: DagLink[] = []
  const field = new Uint8Array(fanout / 8)
  for (let slot = 0; slot < fanout; slot += 1) {
    const group = slots(slot)
    if (group.length === 0) continue
    const label = labelOf(slot, fanout)
    const index = field.length - 1 - (slot >> 3)
    field[index] = (field[index] ?? 0) | (1 << (slot & 7))
    if (group.length === 1) {
      const link = linkOf(names.children[group[0] as number] as NamedChild)
      links.push({ ...link, name: label + link.name })
    } else {
      const child = await buildShard(group, names, depth + 1, options, noMetadata, sink)
      links.push({ cid: child.cid.bytes, name: label, size: child.size })
    }
    const turn = yieldAfter(1)
    if (turn !== null) await turn
  }
  const block = encodeShard(links, field, metadata)
  const cid = await sink.put(dagPbCodec, cidVersion, block)
  const below = links.reduce((sum, link) => sum + link.size, 0n)
  return { cid, size: BigInt(block.length) + below, bytes: 0n }
}

/** Encodes the block of a shard. `field`: bitfield with one bit per slot, 8 bytes for 64 slots. */
export function encodeShard(
  links: readonly DagLink[],
  field: Uint8Array,
  metadata: Metadata,
): Uint8Array {
  const firstSet = field.findIndex((byte) => byte !== 0)
  const data = encodeUnixfs({
    type: 'hamt',
    data: firstSet < 0 ? new Uint8Array(0) : field.subarray(firstSet),
    hashType: murmurType,
    fanout: BigInt(field.length * 8),
    ...metadata,
  })
  return encodeDagNode({ links, data })
}

/** Returns the entries of each slot, as views of one array. */
async function sortIntoSlots(
  indexes: Uint32Array,
  { hashes }: Names,
  depth: number,
  { fanout, yieldAfter }: HamtOptions & { readonly yieldAfter: Yielder },
): Promise<(slot: number) => Uint32Array> {
  const bits = Math.log2(fanout)
  const slotAt = new Uint16Array(indexes.length)
  // The start of each slot, and the end of the last.
  const starts = new Uint32Array(fanout + 1)
  for (const [at, index] of indexes.entries()) {
    const slot = slotOf(hashes[index] as bigint, depth, bits)
    slotAt[at] = slot
    starts[slot + 1] = (starts[slot + 1] as number) + 1
    const turn = yieldAfter(1)
    if (turn !== null) await turn
  }
  for (let slot = 0; slot < fanout; slot += 1) {
    starts[slot + 1] = (starts[slot + 1] as number) + (starts[slot] as number)
  }
  const next = starts.slice()
  const sorted = new Uint32Array(indexes.length)
  for (const [at, index] of indexes.entries()) {
    const slot = slotAt[at] as number
    sorted[next[slot] as number] = index
    next[slot] = (next[slot] as number) + 1
  }
  return (slot) => sorted.subarray(starts[slot], starts[slot + 1])
}

/** The result for one name in a shard: the entry, the deeper shard to search, or null if the name is absent. */
export type ShardAnswer = { readonly kind: 'entry' | 'shard'; readonly link: DagLink } | null

/**
 * Looks `name` up in one shard at `depth` (root 0). Throws `command_failed` on a fanout that is no power of
 * two in 8..1024 (CVE-2023-23625), another hash function, a bitfield that does not match, or too much depth.
 */
export function findInShard(
  node: DagNode,
  unixfs: UnixfsNode,
  name: string,
  depth: number,
): ShardAnswer {
  const fanout = checkedFanout(unixfs)
  const bits = Math.log2(fanout)
  if ((depth + 1) * bits > hashBits) throw malformed('deeper than its hash')
  if (setBits(unixfs.data ?? new Uint8Array(0), fanout) !== node.links.length) {
    throw malformed('bitfield does not match the links')
  }
  const label = labelOf(slotOf(hashOf(name), depth, bits), fanout)
  for (const link of node.links) {
    if (link.name === label) return { kind: 'shard', link }
    if (link.name === label + name) return { kind: 'entry', link }
  }
  return null
}

/** One slot of a shard: an entry under its own name, or a deeper shard and the hash bits that led to it. */
export type ShardSlot =
  | { readonly kind: 'entry'; readonly name: string; readonly link: DagLink }
  | { readonly kind: 'shard'; readonly at: ShardPlace; readonly link: DagLink }

/** Position of a shard: `prefix` is the first `bits` bits of the hash of every name below it. */
export type ShardPlace = { readonly bits: number; readonly prefix: bigint }

export const rootShard: ShardPlace = { bits: 0, prefix: 0n }

/**
 * Lists all slots of one shard in stored order. Throws as findInShard, and if a link's slot is not in the bitfield, is out of
 * order, or does not match the hash of its name.
 */
export function listShard(
  node: DagNode,
  unixfs: UnixfsNode,
  place: ShardPlace,
): readonly ShardSlot[] {
  const fanout = checkedFanout(unixfs)
  const bits = Math.log2(fanout)
  const width = (fanout - 1).toString(16).length
  const below = place.bits + bits
  if (below > hashBits) throw malformed('deeper than its hash')
  const field = unixfs.data ?? new Uint8Array(0)
  if (setBits(field, fanout) !== node.links.length) {
    throw malformed('bitfield does not match the links')
  }
  let last = -1
  return node.links.map((link) => {
    const label = link.name.slice(0, width)
    const slot = /^[\dA-F]+$/.test(label) && label.length === width ? Number(`0x${label}`) : -1
    const byte = field[field.length - 1 - (slot >> 3)] ?? 0
    if (slot <= last || (byte & (1 << (slot & 7))) === 0) throw malformed('slot out of place')
    last = slot
    const prefix = (place.prefix << BigInt(bits)) | BigInt(slot)
    const name = link.name.slice(width)
    if (name === '') return { kind: 'shard', at: { bits: below, prefix }, link }
    if (hashOf(name) >> BigInt(hashBits - below) !== prefix) {
      throw malformed('name in a slot that is not its own')
    }
    return { kind: 'entry', name, link }
  })
}

export function checkedFanout(unixfs: UnixfsNode): number {
  const fanout = Number(unixfs.fanout ?? 0n)
  const powerOfTwo = Number.isSafeInteger(fanout) && (fanout & (fanout - 1)) === 0
  if (!powerOfTwo || fanout < fanoutMin || fanout > fanoutMax) {
    throw malformed(`fanout ${unixfs.fanout ?? 'absent'}`)
  }
  if (unixfs.hashType !== murmurType) throw malformed(`hash type ${unixfs.hashType ?? 'absent'}`)
  return fanout
}

function setBits(field: Uint8Array, fanout: number): number {
  if (field.length > fanout / 8) throw malformed('bitfield is longer than the fanout')
  let count = 0
  for (const byte of field) for (let rest = byte; rest !== 0; rest &= rest - 1) count += 1
  return count
}

export function hashOf(name: string): bigint {
  return murmur3(Buffer.from(name, 'utf8'))
}

export function slotOf(hash: bigint, depth: number, bits: number): number {
  const shift = BigInt(hashBits - (depth + 1) * bits)
  return Number((hash >> shift) & ((1n << BigInt(bits)) - 1n))
}

export function labelOf(slot: number, fanout: number): string {
  return slot
    .toString(16)
    .toUpperCase()
    .padStart((fanout - 1).toString(16).length, '0')
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed HAMT directory: ${what}` })
}
