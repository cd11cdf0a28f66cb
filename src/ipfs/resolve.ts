// The walk from a path's root through directories to the CID it names.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { dagPbCodec } from '../codec/cid.ts'
import type { ReadBlock } from './blocks.ts'
import { findInShard } from './hamt.ts'
import { decodeNode, linkCid } from './node.ts'
import type { ContentPath } from './path.ts'

/** Reads nothing for a bare CID. Throws `command_failed` `no link named "x" under <cid>`. */
export async function resolvePath(path: ContentPath, read: ReadBlock): Promise<CID> {
  let at = path.root
  for (const segment of path.segments) {
    const found = await findEntry(at, segment, read)
    if (found === null) {
      const detail = `no link named ${JSON.stringify(segment)} under ${at.toString()}`
      throw new Fault('command_failed', { detail })
    }
    at = found
  }
  return at
}

/** The entry `name` of the directory `cid`, sharded or not; null when there is none or it is no directory. */
async function findEntry(cid: CID, name: string, read: ReadBlock): Promise<CID | null> {
  if (cid.code !== dagPbCodec) return null
  let shard = cid
  // Ends by the depth check in findInShard: no more levels than bits of hash.
  for (let depth = 0; ; depth += 1) {
    const node = decodeNode(shard, await read(shard))
    if (node.kind === 'raw') return null
    if (node.unixfs.type === 'directory' && depth === 0) {
      const link = node.dag.links.find((each) => each.name === name)
      return link === undefined ? null : linkCid(link)
    }
    if (node.unixfs.type !== 'hamt') return null
    const answer = findInShard(node.dag, node.unixfs, name, depth)
    if (answer === null) return null
    if (answer.kind === 'entry') return linkCid(answer.link)
    shard = linkCid(answer.link)
  }
}
