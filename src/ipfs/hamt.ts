// Sharded directories (HAMT): names placed by their murmur3 hash. Building and the checks that reading needs.
// Rule: contract-files 6.2, https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory
// Tested by src/ipfs/files.test.ts
import { Fault } from '../base/fault.ts'
import { dagPbCodec } from '../codec/cid.ts'
import { type DagLink, type DagNode, encodeDagNode } from '../codec/dag-pb.ts'
import { murmur3 } from '../codec/murmur3.ts'
import { encodeUnixfs, type UnixfsNode } from '../codec/unixfs.ts'
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'

const murmurType = 0x22n
const fanoutMin = 8
const fanoutMax = 1024
const writtenFanout = 256
const hashBits = 64

type Placed = { readonly link: DagLink; readonly hash: bigint }

/** The sharded directory of `links`, fanout 256, `metadata` on its root. Names must differ. */
export async function buildHamt(
  links: readonly DagLink[],
  cidVersion: 0 | 1,
  metadata: Metadata,
  sink: BlockSink,
): Promise<Built> {
  const placed = links.map((link) => ({ link, hash: hashOf(link.name) }))
  return await buildShard(placed, 0, cidVersion, metadata, sink)
}

/** Recursion ends at 8 levels: 64 bits of hash, 8 a level. */
async function buildShard(
  placed: readonly Placed[],
  depth: number,
  cidVersion: 0 | 1,
  metadata: Metadata,
  sink: BlockSink,
): Promise<Built> {
  const bits = Math.log2(writtenFanout)
  if ((depth + 1) * bits > hashBits) throw malformed('names collide in all 64 bits')
  const slots = new Map<number, Placed[]>()
  for (const each of placed) {
    const slot = slotOf(each.hash, depth, bits)
    const group = slots.get(slot)
    if (group === undefined) slots.set(slot, [each])
    else group.push(each)
  }
  const links: DagLink[] = []
  const field = new Uint8Array(writtenFanout / 8)
  for (const slot of [...slots.keys()].sort((a, b) => a - b)) {
    const group = slots.get(slot) ?? []
    const [only] = group
    const label = labelOf(slot, writtenFanout)
    const index = field.length - 1 - (slot >> 3)
    field[index] = (field[index] ?? 0) | (1 << (slot & 7))
    if (group.length === 1 && only !== undefined) {
      links.push({ ...only.link, name: label + only.link.name })
    } else {
      const child = await buildShard(group, depth + 1, cidVersion, noMetadata, sink)
      links.push({ cid: child.cid.bytes, name: label, size: child.size })
    }
  }
  const firstSet = field.findIndex((byte) => byte !== 0)
  const data = encodeUnixfs({
    type: 'hamt',
    data: firstSet < 0 ? new Uint8Array(0) : field.subarray(firstSet),
    hashType: murmurType,
    fanout: BigInt(writtenFanout),
    ...metadata,
  })
  const block = encodeDagNode({ links, data })
  const cid = await sink.put(dagPbCodec, cidVersion, block)
  const below = links.reduce((sum, link) => sum + link.size, 0n)
  return { cid, size: BigInt(block.length) + below, bytes: 0n }
}

/** What a shard says of one name: the entry, or the deeper shard to ask, or null when it is not there. */
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

function checkedFanout(unixfs: UnixfsNode): number {
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

function hashOf(name: string): bigint {
  return murmur3(Buffer.from(name, 'utf8'))
}

function slotOf(hash: bigint, depth: number, bits: number): number {
  const shift = BigInt(hashBits - (depth + 1) * bits)
  return Number((hash >> shift) & ((1n << BigInt(bits)) - 1n))
}

function labelOf(slot: number, fanout: number): string {
  return slot
    .toString(16)
    .toUpperCase()
    .padStart((fanout - 1).toString(16).length, '0')
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed HAMT directory: ${what}` })
}
