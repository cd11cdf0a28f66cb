// One file into a DAG: cut into chunks, each a leaf of the layout. Holds one chunk and what the layout holds.
// Tested by src/ipfs/import/import.test.ts
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import { createBalanced } from './balanced.ts'
import { chunksOf, turnBytes } from './chunk.ts'
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import type { ImportOptions } from './upload-entry.ts'
import { createTrickle } from './trickle.ts'

export type FileOptions = Pick<
  ImportOptions,
  'cidVersion' | 'rawLeaves' | 'chunker' | 'layout' | 'maxFileLinks'
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
  const trickles = options.layout === 'trickle'
  const layout = trickles ? createTrickle(options, sink) : createBalanced(options, sink)
  let waiting: Uint8Array | null = null
  let total = 0
  let reported = 0

  for await (const chunk of chunksOf(content, options.chunker, sink.yielderFor(turnBytes))) {
    if (waiting !== null) await layout.add(await leaf(waiting, noMetadata))
    waiting = chunk
    total += chunk.length
    sink.brought({ bytes: chunk.length })
    if (total - reported >= progressBytes) {
      reported = total
      yield total
    }
  }
  yield total
  // Only now is it known whether the last chunk is the whole file, and so the root that carries metadata.
  const alone = layout.leaves === 0 && !trickles
  if (alone) return await leaf(waiting ?? new Uint8Array(0), metadata)
  if (waiting !== null) await layout.add(await leaf(waiting, noMetadata))
  return await layout.close(metadata)

  async function leaf(bytes: Uint8Array, own: Metadata): Promise<Built> {
    const block = rawLeaves
      ? bytes
      : encodeDagNode({
          links: [],
          data: encodeUnixfs({
            type: trickles ? 'raw' : 'file',
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
}
