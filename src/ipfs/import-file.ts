// One file into a balanced DAG: leaves in order, a full node becomes the first child of a new level. Holds
// one chunk and at most `maxFileLinks` links a level. Rules: contract-files 6.2, 6.4.
// Tested by src/ipfs/import.test.ts
import { dagPbCodec, rawCodec } from '../codec/cid.ts'
import { encodeDagNode } from '../codec/dag-pb.ts'
import { encodeUnixfs } from '../codec/unixfs.ts'
import { chunksOf } from './chunk.ts'
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import type { ImportOptions } from './entry.ts'

export type FileOptions = Pick<
  ImportOptions,
  'cidVersion' | 'rawLeaves' | 'chunkBytes' | 'maxFileLinks'
>

const progressBytes = 262144

/**
 * Yields the bytes read so far after each further 256 KiB or more, and at the end the total. Metadata goes
 * on the root and makes every leaf dag-pb. Throws what the content and the sink throw.
 */
export async function* importFile(
  content: AsyncIterable<Uint8Array>,
  options: FileOptions,
  metadata: Metadata,
  sink: BlockSink,
): AsyncGenerator<number, Built> {
  const rawLeaves = options.rawLeaves && metadata.mode === null && metadata.mtime === null
  const levels: Built[][] = []
  let waiting: Uint8Array | null = null
  let total = 0
  let told = 0

  for await (const chunk of chunksOf(content, options.chunkBytes)) {
    if (waiting !== null) await place(await leaf(waiting, noMetadata), 0)
    waiting = chunk
    total += chunk.length
    if (total - told >= progressBytes) {
      told = total
      yield total
    }
  }
  yield total
  // Only now is it known whether the last chunk is the whole file, and so the root that carries metadata.
  const last = await leaf(waiting ?? new Uint8Array(0), levels.length === 0 ? metadata : noMetadata)
  if (levels.length === 0) return last
  await place(last, 0)
  return await close()

  async function leaf(bytes: Uint8Array, own: Metadata): Promise<Built> {
    const block = rawLeaves
      ? bytes
      : encodeDagNode({
          links: [],
          data: encodeUnixfs({
            type: 'file',
            data: bytes.length === 0 ? null : bytes,
            fileSize: BigInt(bytes.length),
            ...own,
          }),
        })
    const cid = rawLeaves
      ? await sink.put(rawCodec, 1, block)
      : await sink.put(dagPbCodec, options.cidVersion, block)
    return { cid, size: BigInt(block.length), bytes: BigInt(bytes.length) }
  }

  /** Puts a node on its level; a level that is full already becomes one node of the next. */
  async function place(node: Built, depth: number): Promise<void> {
    let level = depth
    let carried: Built | null = node
    while (carried !== null) {
      const nodes: Built[] = (levels[level] ??= [])
      const full: Built[] | null = nodes.length >= options.maxFileLinks ? nodes.splice(0) : null
      nodes.push(carried)
      carried = full === null ? null : await parent(full, noMetadata)
      level += 1
    }
  }

  async function close(): Promise<Built> {
    for (let level = 0; ; level += 1) {
      const nodes = levels[level] ?? []
      if (level === levels.length - 1) return await parent(nodes, metadata)
      await place(await parent(nodes, noMetadata), level + 1)
    }
  }

  async function parent(children: readonly Built[], own: Metadata): Promise<Built> {
    const links = children.map(({ cid, size }) => ({ cid: cid.bytes, name: '', size }))
    const bytes = children.reduce((sum, child) => sum + child.bytes, 0n)
    const blockSizes = children.map((child) => child.bytes)
    const data = encodeUnixfs({ type: 'file', fileSize: bytes, blockSizes, ...own })
    const block = encodeDagNode({ links, data })
    const cid = await sink.put(dagPbCodec, options.cidVersion, block)
    const below = children.reduce((sum, child) => sum + child.size, 0n)
    return { cid, size: BigInt(block.length) + below, bytes }
  }
}
