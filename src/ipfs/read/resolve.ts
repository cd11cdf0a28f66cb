// Resolves a path from its root: through directories by entry name, through other blocks by member.
// Tested by src/kubo/commands/dag/dag.test.ts
import { CID } from 'multiformats/cid'
import type { ReadBlock } from './blocks.ts'
import type { ContentPath, ResolvedNode, TracedPath } from './path.ts'
import { Fault } from '../../base/fault.ts'
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { type DagNode, decodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { decodeIpld } from '../../codec/ipld/ipld.ts'
import { type IpldNode, memberOf } from '../../codec/ipld/ipld-node.ts'
import { type UnixfsNode, decodeUnixfs } from '../../codec/ipld/unixfs.ts'
import { findInShard } from '../import/hamt.ts'
import { linkCid } from './node.ts'

/** Throws as resolveNode. */
export async function tracePath(path: ContentPath, read: ReadBlock): Promise<TracedPath> {
  const roots: CID[] = [path.root]
  const passed: CID[] = []
  const node = await resolveNode(
    path,
    async (cid) => {
      passed.push(cid)
      return await read(cid)
    },
    (cid) => roots.push(cid),
  )
  return { ...node, roots, passed }
}

/**
 * Reads nothing for a bare CID. `reached` is called with each node that a segment resolves to. Throws `command_failed` `no link
 * named "x" under <cid>`, caused by `not_found`.
 */
export async function resolveNode(
  path: ContentPath,
  read: ReadBlock,
  reached: (cid: CID) => void = () => {},
): Promise<ResolvedNode> {
  const { segments } = path
  let at = path.root
  // Terminates: each iteration uses up a segment or returns.
  for (let index = 0; index < segments.length;) {
    const segment = segments[index] as string
    if (at.code === dagPbCodec && !path.ipld) {
      const found = await findEntry(at, segment, read)
      if (found === null) throw noLink(segment, at)
      at = found
      reached(at)
      index += 1
      continue
    }
    const first = index
    let inside: IpldNode = decodeIpld(at.code, await read(at))
    while (index < segments.length && !(inside instanceof CID)) {
      inside = mustHave(inside, segments[index] as string, at)
      index += 1
    }
    if (!(inside instanceof CID)) return { cid: at, rest: segments.slice(first) }
    at = inside
    reached(at)
  }
  return { cid: at, rest: [] }
}

/** The value at `rest` inside the block `cid`. Throws as resolveNode. */
export function nodeAt({ cid, rest }: ResolvedNode, block: Uint8Array): IpldNode {
  let inside = decodeIpld(cid.code, block)
  for (const segment of rest) inside = mustHave(inside, segment, cid)
  return inside
}

/** The CID of a path to a whole block. Throws as resolveNode, also for a path into a block. */
export async function resolvePath(path: ContentPath, read: ReadBlock): Promise<CID> {
  const { cid, rest } = await resolveNode(path, read)
  if (rest[0] !== undefined) throw noLink(rest[0], cid)
  return cid
}

/** The entry `name` of the directory `cid`, sharded or not; null if it has no such entry or is not a directory. */
export async function findEntry(cid: CID, name: string, read: ReadBlock): Promise<CID | null> {
  let shard = cid
  // Terminates by the depth check in findInShard: there are no more levels than bits of the hash.
  for (let depth = 0; ; depth += 1) {
    if (shard.code !== dagPbCodec) return null
    const dag = decodeDagNode(await read(shard))
    const unixfs = findUnixfs(dag)
    if (depth === 0 && (unixfs === null || unixfs.type === 'directory')) {
      const link = dag.links.find((each) => each.name === name)
      return link === undefined ? null : linkCid(link)
    }
    if (unixfs?.type !== 'hamt') return null
    const answer = findInShard(dag, unixfs, name, depth)
    if (answer === null) return null
    if (answer.kind === 'entry') return linkCid(answer.link)
    shard = linkCid(answer.link)
  }
}

/** Null: a dag-pb node that is not UnixFS; its links still have names. */
function findUnixfs(dag: DagNode): UnixfsNode | null {
  try {
    return decodeUnixfs(dag.data ?? new Uint8Array(0))
  } catch (thrown) {
    if (thrown instanceof Fault) return null
    throw thrown
  }
}

function mustHave(node: IpldNode, segment: string, under: CID): IpldNode {
  const member = memberOf(node, segment)
  if (member === undefined) throw noLink(segment, under)
  return member
}

/** The cause of the error for a path that does not exist. */
class NoLink extends Fault {
  constructor() {
    super('not_found')
  }
}

function noLink(segment: string, under: CID): Fault {
  const detail = `no link named ${JSON.stringify(segment)} under ${under.toString()}`
  return new Fault('command_failed', { detail, cause: new NoLink() })
}

/** Whether the path does not exist, although all of its blocks are available. */
export function isNoLink(thrown: unknown): boolean {
  return thrown instanceof Fault && thrown.cause instanceof NoLink
}
