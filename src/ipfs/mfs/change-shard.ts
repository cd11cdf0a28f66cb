// Changes one entry of a sharded directory: rewrites the shards on its path. A shard with one remaining entry is replaced by that
// entry.
// Rule: https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory
// Tested by test/files/mfs-kubo.test.ts
import { Fault } from '../../base/fault.ts'
import type { DagLink } from '../../codec/ipld/dag-pb.ts'
import {
  checkedFanout,
  encodeShard,
  hashOf,
  labelOf,
  listShard,
  rootShard,
  type ShardPlace,
  type ShardSlot,
  slotOf,
} from '../import/hamt.ts'
import { noMetadata, type Metadata } from '../import/built.ts'
import { decodeNode, linkCid } from '../read/node.ts'
import { type CidFormat, formatOf } from './cid-format.ts'
import type { Entry, TreeBlocks } from './tree.ts'
import type { CID } from 'multiformats/cid'

export type ShardChange = {
  readonly name: string
  /** Null: removes the entry. */
  readonly entry: Entry | null
  readonly blocks: TreeBlocks
}

type Slots = Map<number, ShardSlot>
type Shard = {
  readonly slots: Slots
  readonly fanout: number
  readonly format: CidFormat
  readonly metadata: Metadata
}

/** Returns the changed directory; `format`: of its root. Throws `command_failed` if the entry to remove is absent. */
export async function changeShard(
  root: CID,
  format: CidFormat,
  change: ShardChange,
): Promise<Entry> {
  const shard = await openShard(root, rootShard, change.blocks)
  const whole = { ...shard, format }
  await changeSlots(whole, 0, change)
  return putShard(whole, change.blocks)
}

async function openShard(cid: CID, place: ShardPlace, blocks: TreeBlocks): Promise<Shard> {
  const node = decodeNode(cid, await blocks.read(cid))
  if (node.kind === 'raw' || node.unixfs.type !== 'hamt') {
    throw new Fault('command_failed', {
      detail: 'malformed HAMT directory: a link to a node that is not a shard',
    })
  }
  const { mode, mtime } = node.unixfs
  const fanout = checkedFanout(node.unixfs)
  const mask = (1n << BigInt(Math.log2(fanout))) - 1n
  const slots: Slots = new Map()
  for (const slot of listShard(node.dag, node.unixfs, place)) {
    const bits = slot.kind === 'shard' ? slot.at : placeOf(slot.name, place, fanout)
    slots.set(Number(bits.prefix & mask), slot)
  }
  return { slots, fanout, format: formatOf(cid), metadata: { mode, mtime } }
}

/** The place of `name` below the shard at `place`. */
function placeOf(name: string, place: ShardPlace, fanout: number): ShardPlace {
  const bits = Math.log2(fanout)
  const below = place.bits + bits
  return { bits: below, prefix: hashOf(name) >> BigInt(64 - below) }
}

/** Recursion ends: 64 bits of hash, at least 3 per level; `listShard` and `placeOf` refuse more levels. */
async function changeSlots(shard: Shard, depth: number, change: ShardChange): Promise<void> {
  const { name, entry, blocks } = change
  const { slots, fanout } = shard
  const bits = Math.log2(fanout)
  if ((depth + 1) * bits > 64) {
    throw new Fault('command_failed', {
      detail: 'malformed HAMT directory: names collide in all 64 bits',
    })
  }
  const slot = slotOf(hashOf(name), depth, bits)
  const found = slots.get(slot)
  if (found?.kind === 'shard') {
    const below = await openShard(linkCid(found.link), found.at, blocks)
    await changeSlots(below, depth + 1, change)
    setShard(slots, slot, below, found.at, blocks)
  } else if (entry === null) {
    if (found?.name !== name) throw new Fault('command_failed', { detail: 'file does not exist' })
    slots.delete(slot)
  } else if (found === undefined || found.name === name) {
    slots.set(slot, { kind: 'entry', name, link: linkTo(name, entry) })
  } else {
    const below: Shard = { slots: new Map(), fanout, format: shard.format, metadata: noMetadata }
    const other = { cid: linkCid(found.link), size: found.link.size }
    await changeSlots(below, depth + 1, { ...change, name: found.name, entry: other })
    await changeSlots(below, depth + 1, change)
    const at = { bits: (depth + 1) * bits, prefix: hashOf(name) >> BigInt(64 - (depth + 1) * bits) }
    setShard(slots, slot, below, at, blocks)
  }
}

/** Adds the shard as a sub-shard, or its only entry in its place. */
function setShard(
  slots: Slots,
  slot: number,
  below: Shard,
  at: ShardPlace,
  blocks: TreeBlocks,
): void {
  const [only] = below.slots.values()
  if (only === undefined) slots.delete(slot)
  else if (below.slots.size === 1 && only.kind === 'entry') slots.set(slot, only)
  else slots.set(slot, { kind: 'shard', at, link: linkTo('', putShard(below, blocks)) })
}

function linkTo(name: string, { cid, size }: Entry): DagLink {
  return { cid: cid.bytes, name, size }
}

function putShard({ slots, fanout, format, metadata }: Shard, blocks: TreeBlocks): Entry {
  const field = new Uint8Array(fanout / 8)
  const links: DagLink[] = []
  for (const [slot, found] of [...slots].sort(([one], [other]) => one - other)) {
    const at = field.length - 1 - (slot >> 3)
    field[at] = (field[at] ?? 0) | (1 << (slot & 7))
    const name = found.kind === 'entry' ? found.name : ''
    links.push({ ...found.link, name: labelOf(slot, fanout) + name })
  }
  const block = encodeShard(links, field, metadata)
  const below = links.reduce((sum, link) => sum + link.size, 0n)
  return { cid: blocks.node(format, block), size: BigInt(block.length) + below }
}
