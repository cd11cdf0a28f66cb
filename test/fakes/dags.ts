// Files as blocks in memory, and a DAG traversal that fetches all blocks.
import { setImmediate } from 'node:timers/promises'
import { cidOf, dagPbCodec, decodeCid, rawCodec } from '../../src/codec/ipld/cid.ts'
import { decodeDagNode, encodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { sha256Name } from '../../src/codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../src/codec/ipld/unixfs.ts'
import { cidBytes, type NetSession } from './net-child.ts'

export type Dag = { readonly root: string; readonly blocks: ReadonlyMap<string, Uint8Array> }

const leafBytes = 256 * 1024
const linksMax = 174

/** A UnixFS file with raw leaves, two levels deep. */
export function fileDag(bytes: Uint8Array): Dag {
  const blocks = new Map<string, Uint8Array>()
  const put = (codec: number, block: Uint8Array): Uint8Array => {
    const multihash = sha256Name(block)
    blocks.set(Buffer.from(multihash).toString('hex'), block)
    return cidOf(1, codec, multihash).bytes
  }
  type Part = { readonly cid: Uint8Array; readonly size: number }
  const nodeOf = (parts: readonly Part[]): Part => {
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    const data = encodeUnixfs({
      type: 'file',
      data: null,
      fileSize: BigInt(size),
      blockSizes: parts.map((part) => BigInt(part.size)),
    })
    const links = parts.map((part) => ({ cid: part.cid, name: '', size: BigInt(part.size) }))
    return { cid: put(dagPbCodec, encodeDagNode({ links, data })), size }
  }
  let level: Part[] = []
  for (let at = 0; at < Math.max(bytes.length, 1); at += leafBytes) {
    const leaf = bytes.subarray(at, at + leafBytes)
    level.push({ cid: put(rawCodec, leaf), size: leaf.length })
  }
  while (level.length > 1) {
    const parts = level
    level = []
    for (let at = 0; at < parts.length; at += linksMax) {
      level.push(nodeOf(parts.slice(at, at + linksMax)))
    }
  }
  const [top] = level as [Part]
  return { root: decodeCid(top.cid)?.toString() ?? '', blocks }
}

/** Fetches all blocks of the DAG below `root`, by multihash in hexadecimal. Throws if one is not found. */
export async function fetchDag(
  session: NetSession,
  root: string,
  windowMax = 200,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  const first = decodeCid(cidBytes(root))
  const queue: Uint8Array[] = first === null ? [] : [first.bytes]
  const seen = new Set<string>()
  let underWay = 0
  let failure: unknown = null

  async function fetchOne(bytes: Uint8Array): Promise<void> {
    try {
      const outcome = await session.fetch(bytes)
      if (outcome.kind !== 'found') throw new Error(`not found: ${JSON.stringify(outcome)}`)
      const cid = decodeCid(bytes)
      if (cid === null) throw new Error('no CID')
      found.set(Buffer.from(cid.multihash.bytes).toString('hex'), outcome.bytes)
      if (cid.code === dagPbCodec) {
        for (const { cid: link } of decodeDagNode(outcome.bytes).links) {
          const key = Buffer.from(link).toString('hex')
          if (!seen.has(key)) queue.push(link)
          seen.add(key)
        }
      }
    } catch (error) {
      failure ??= error
    }
    underWay -= 1
  }

  while (queue.length > 0 || underWay > 0) {
    if (failure !== null) throw failure
    while (queue.length > 0 && underWay < windowMax) {
      underWay += 1
      void fetchOne(queue.shift() as Uint8Array)
    }
    await setImmediate()
  }
  if (failure !== null) throw failure
  return found
}
