// Builds the DAG of one file: cuts it into chunks, each a leaf of the layout. Leaves of equal size of a large file are written to
// disk and hashed there, without blocks in memory. Holds one chunk and the layout's unfinished nodes.
// Tested by src/ipfs/import/import-file.test.ts
import { cidOf, dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import type { LeafWriter } from '../../content/block-store.ts'
import { createBalanced, createTrickle } from './file-layout.ts'
import type { BlockSink } from './block-sink.ts'
import { type Built, type Metadata, noMetadata } from './built.ts'
import type { FileContent, ImportOptions } from './upload-entry.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import { chunksOf, turnBytes } from './chunk.ts'

/** A smaller file has few blocks, which share one write with blocks of other requests. */
const largeBytes = 128 * 1024
/** Leaves of other sizes are added as single blocks: the store divides slots of 4 MiB into leaves, and no block is over 2 MiB. */
const leafSizes: readonly number[] = [12, 13, 14, 15, 16, 17, 18, 19, 20].map((bits) => 2 ** bits)
/** Bytes between two progress events. */
const progressBytes = 262144

export type ImportFile = {
  readonly content: FileContent
  readonly options: FileOptions & { readonly progress: boolean }
  readonly metadata: Metadata
}

/**
 * As `importFile`, but writes large files with leaves of equal size directly to disk if the options allow it. Without `progress` it
 * yields only the total.
 */
export async function* importContent(
  file: ImportFile,
  sink: BlockSink,
): AsyncGenerator<number, Built> {
  const { content, options, metadata } = file
  const leaves = openLeaves(options, metadata, sink)
  if (leaves === null) return yield* importFile(content, options, metadata, sink)
  if (!options.progress && content.drain !== undefined) {
    await content.drain((piece) => leaves.write(piece))
  } else {
    let reported = 0
    for await (const piece of content) {
      await leaves.write(piece)
      const { completeBytes } = leaves
      if (completeBytes - reported < progressBytes) continue
      reported = completeBytes
      if (options.progress) yield reported
    }
  }
  const built = await leaves.end()
  yield Number(built.bytes)
  return built
}

type Leaves = {
  /** Bytes in leaves that are complete. */
  readonly completeBytes: number
  /** Null, or a promise to await before the next call. */
  write(piece: Uint8Array): Promise<void> | null
  end(): Promise<Built>
}

/** Null: the options require leaves of another kind. */
function openLeaves(
  options: ImportFile['options'],
  metadata: Metadata,
  sink: BlockSink,
): Leaves | null {
  const { chunker, layout: shape, cidVersion, progress } = options
  const chunkBytes = chunker.kind === 'size' ? chunker.bytes : 0
  const plain = metadata.mode === null && metadata.mtime === null
  const raw = options.rawLeaves && plain
  const form = raw ? 'raw' : 'dag-pb'
  // Trickle leaves have another UnixFS type.
  if (sink.leaves === null || shape === 'trickle' || !leafSizes.includes(chunkBytes)) return null
  const openWriter = sink.leaves
  // A file with a single leaf stores its metadata in that leaf, so its format differs.
  const smallMax = plain ? largeBytes - 1 : Math.max(largeBytes - 1, chunkBytes)
  const layout = createBalanced(options, sink)
  const codec = raw ? rawCodec : dagPbCodec
  const version = raw ? 1 : cidVersion

  let small: Uint8Array[] = []
  let smallBytes = 0
  let writer: LeafWriter | null = null
  let named: Built[] = []
  /** The first leaf, which is the root if no other follows. */
  let only: Built | null = null
  let completeBytes = 0

  function place(): Promise<void> | null {
    if (named.length === 0) return null
    const leaves = named
    named = []
    for (const [index, leaf] of leaves.entries()) {
      const waiting = layout.add(leaf)
      if (waiting !== null) return placeAfter(waiting, leaves.slice(index + 1))
    }
    return null
  }

  async function placeAfter(waiting: Promise<void>, leaves: readonly Built[]): Promise<void> {
    await waiting
    for (const leaf of leaves) await layout.add(leaf)
  }

  function writeLeaves(to: LeafWriter, piece: Uint8Array): Promise<void> | null {
    const written = to.write(piece)
    const placed = place()
    if (written === null) return placed
    return placed === null ? written : Promise.all([written, placed]).then(() => undefined)
  }

  async function importSmall(pieces: readonly Uint8Array[]): Promise<Built> {
    const steps = importFile(inOrder(pieces), options, metadata, sink)
    let step = await steps.next()
    while (!step.done) step = await steps.next()
    return step.value
  }

  return {
    get completeBytes() {
      return completeBytes
    },
    write(piece) {
      if (writer !== null) return writeLeaves(writer, piece)
      smallBytes += piece.length
      small.push(Buffer.from(piece))
      if (smallBytes <= smallMax) return null
      // Progress is counted in completed leaves.
      const late = !progress
      writer = openWriter({ bytes: chunkBytes, form, late }, ({ multihash, bytes, size }) => {
        completeBytes += bytes
        const cid = cidOf(version, codec, multihash)
        const leaf = { cid, size: BigInt(size), bytes: BigInt(bytes) }
        named.push(leaf)
        only ??= leaf
      })
      const held = Buffer.concat(small)
      small = []
      return writeLeaves(writer, held)
    },
    async end() {
      if (writer === null) return await importSmall(small)
      await writer.end()
      await place()
      return only !== null && layout.leaves === 1 ? only : await layout.close(metadata)
    },
  }
}

async function* inOrder(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

export type FileOptions = Pick<
  ImportOptions,
  'cidVersion' | 'rawLeaves' | 'chunker' | 'layout' | 'maxFileLinks'
>

/**
 * Yields the number of bytes read so far after each further 256 KiB or more, and the total at the end. Metadata is stored on the
 * root and makes every leaf dag-pb. Throws the errors of the content and of the sink.
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
    sink.countInput({ bytes: chunk.length })
    if (total - reported >= progressBytes) {
      reported = total
      yield total
    }
  }
  yield total
  // Only the end of the stream shows whether the last chunk is the whole file, and so the root that stores the metadata.
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
