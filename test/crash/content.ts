// Content of the crash test: files of all sizes, folders, CARs and single blocks, generated from a few numbers for each comparison.
// Many share chunks, so that an unpin of one coincides with an add of another.
import { createHash } from 'node:crypto'
import { type CarBlock, writeCar } from '../../src/codec/ipld/car-writer.ts'
import { cidOf, dagPbCodec, rawCodec } from '../../src/codec/ipld/cid.ts'
import { encodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { multihashOf } from '../../src/codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../src/codec/ipld/unixfs.ts'
import { streamOf } from '../fakes/files/files-fixture.ts'
import { noise, type Random } from '../fakes/seeded.ts'

type Piece = { readonly seed: string; readonly bytes: number }

export type Content = {
  readonly kind: 'file' | 'folder' | 'car' | 'block'
  /** Options of `add`. */
  readonly options: string
  readonly files: readonly { readonly name: string; readonly pieces: readonly Piece[] }[]
}

const leafBytes = 256 * 1024
const sharedPieces = 6

/** `own`: makes the content unique. */
export function someContent(random: Random, own: string): Content {
  const at = random(100)
  const file = (name: string, shared: number): Content['files'][number] => ({
    name,
    pieces: [
      ...Array.from({ length: shared }, () => ({
        seed: `shared ${random(sharedPieces)}`,
        bytes: leafBytes,
      })),
      { seed: `${own} ${name}`, bytes: 40 + random(60_000) },
    ],
  })
  const options = ['', 'cid-version=1', 'raw-leaves=true', 'chunker=size-65536'][random(4)] ?? ''
  if (at < 40) return { kind: 'file', options, files: [file('f', 0)] }
  if (at < 70) return { kind: 'file', options, files: [file('f', 1 + random(4))] }
  // Mostly unique content: whole slots go to an extent, up to the limit of concurrent uploads. Rare: each check reads it.
  if (at < 72) {
    const pieces = [{ seed: own, bytes: (1 + random(20)) * 1024 * 1024 }]
    return { kind: 'file', options: '', files: [{ name: 'f', pieces }] }
  }
  if (at < 86) {
    const files = Array.from({ length: 1 + random(6) }, (_, n) => file(`f${n}`, random(3)))
    return { kind: 'folder', options, files }
  }
  if (at < 94) return { kind: 'car', options: '', files: [file('f', random(4))] }
  return { kind: 'block', options: '', files: [file('f', 0)] }
}

type File = Content['files'][number]

/** Returns the chunks without joining them: large files would be copied again. */
function piecesOf({ pieces }: File): Buffer<ArrayBuffer>[] {
  return pieces.map(({ seed, bytes }) => noise(seed, bytes) as Buffer<ArrayBuffer>)
}

export function bytesOf(file: File): Buffer<ArrayBuffer> {
  return Buffer.concat(piecesOf(file))
}

/** Cached digests of files, because contents are compared in every round. */
const digests = new WeakMap<File, string>()

/** Digests in the order of `files`. */
export function digestsOf({ files }: Content): readonly string[] {
  return files.map((file) => {
    const known = digests.get(file)
    if (known !== undefined) return known
    const hash = createHash('sha256')
    for (const piece of piecesOf(file)) hash.update(piece)
    const digest = hash.digest('hex')
    digests.set(file, digest)
    return digest
  })
}

/** The command that adds the content, with or without a pin, and its body. */
export async function requestOf(
  content: Content,
  pin: boolean,
): Promise<{ readonly command: string; readonly body: FormData }> {
  const body = new FormData()
  const { kind, options, files } = content
  if (kind === 'car') {
    const car = await carOf(files.map(bytesOf))
    body.append('file', new Blob([car]))
    return { command: `dag/import?pin-roots=${pin}`, body }
  }
  for (const file of files) body.append('file', new Blob(piecesOf(file)), file.name)
  if (kind === 'block') return { command: `block/put?pin=${pin}`, body }
  const wrap = kind === 'folder' ? '&wrap-with-directory=true' : ''
  return { command: `add?pin=${pin}&${options}${wrap}`, body }
}

/** Extracts the CID from the command's reply. */
export function cidIn({ kind }: Content, answer: string): string {
  const last = JSON.parse(answer.trim().split('\n').at(-1) ?? '') as {
    Hash: string
    Key: string
    Root: { Cid: { '/': string } }
  }
  return kind === 'car' ? last.Root.Cid['/'] : kind === 'block' ? last.Key : last.Hash
}

/** Creates a CAR of a file with raw leaves. */
async function carOf(files: readonly Buffer[]): Promise<Uint8Array<ArrayBuffer>> {
  const [bytes = Buffer.alloc(0)] = files
  const leaves: CarBlock[] = []
  for (let at = 0; at < bytes.length; at += leafBytes) {
    leaves.push(blockOf(rawCodec, bytes.subarray(at, at + leafBytes)))
  }
  const node = encodeDagNode({
    links: leaves.map(({ cid, block }) => ({
      cid: cid.bytes,
      name: '',
      size: BigInt(block.length),
    })),
    data: encodeUnixfs({
      type: 'file',
      fileSize: BigInt(bytes.length),
      blockSizes: leaves.map(({ block }) => BigInt(block.length)),
    }),
  })
  const root = blockOf(dagPbCodec, node)
  return Buffer.concat(await Array.fromAsync(writeCar([root.cid], streamOf([root, ...leaves]))))
}

function blockOf(codec: number, block: Uint8Array): CarBlock {
  return { cid: cidOf(1, codec, multihashOf('sha2-256', block)), block }
}
