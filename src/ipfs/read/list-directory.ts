// Lists a directory, shard after shard without recursion, with limits for entries and blocks.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import type { DagLink } from '../../codec/ipld/dag-pb.ts'
import type { ReadBlock } from './blocks.ts'
import { listShard, rootShard, type ShardPlace } from '../import/hamt.ts'
import type { DirectoryEntry } from './listed.ts'
import { decodeNode, linkCid } from './node.ts'

/** Entries that are yielded before other work runs: the consumer may read a block for each. */
const turnEntries = 128

/** Yields entries in stored order; for a file, its links. Throws `command_failed`, also past `entriesMax`. */
export async function* listDirectory(
  root: CID,
  read: ReadBlock,
  entriesMax: number,
): AsyncGenerator<DirectoryEntry> {
  const node = decodeNode(root, await read(root))
  if (node.kind === 'raw') return
  if (node.unixfs.type !== 'hamt') {
    let yielded = 0
    for (const link of node.dag.links) {
      yielded += 1
      if (yielded % turnEntries === 0) await setImmediate()
      yield entryOf(link.name, link)
    }
    return
  }
  const open: { readonly cid: CID; readonly place: ShardPlace }[] = [
    { cid: root, place: rootShard },
  ]
  let seen = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const shard = decodeNode(next.cid, await read(next.cid))
    if (shard.kind === 'raw' || shard.unixfs.type !== 'hamt') {
      throw failed('malformed HAMT directory: a link to a node that is not a shard')
    }
    const below: typeof open = []
    for (const slot of listShard(shard.dag, shard.unixfs, next.place)) {
      seen += 1
      if (seen > entriesMax) throw failed(`directory has more than ${entriesMax} entries`)
      if (seen % turnEntries === 0) await setImmediate()
      if (slot.kind === 'entry') yield entryOf(slot.name, slot.link)
      else below.push({ cid: linkCid(slot.link), place: slot.at })
    }
    for (const shardBelow of below.reverse()) open.push(shardBelow)
  }
}

function entryOf(name: string, link: DagLink): DirectoryEntry {
  return { name, cid: linkCid(link), size: link.size }
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
