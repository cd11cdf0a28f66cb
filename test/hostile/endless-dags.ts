// A few small blocks that describe huge DAGs: files of 2^40 bytes, 2^40 paths, directories of 256^8 entries, and false sizes. Each
// block is valid.
import { cidOf, dagCborCodec, dagPbCodec, rawCodec } from '../../src/codec/ipld/cid.ts'
import { encodeDagCbor } from '../../src/codec/ipld/dag-cbor-writer.ts'
import { type DagLink, encodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { cutMultihash, sha256Code } from '../../src/codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../src/codec/ipld/unixfs.ts'

export type Block = { readonly codec: number; readonly cid: string; readonly bytes: Uint8Array }

export type EndlessDag = {
  readonly name: string
  /** The root is the last block. */
  readonly blocks: readonly Block[]
  /** Path below the root to existing content. */
  readonly path: string
  /** The sizes in its file nodes are false. */
  readonly hasLies?: true
}

type Named = { readonly block: Block; readonly name: string; readonly size: bigint }

const leaf = blockOf(rawCodec, new Uint8Array(1_024).fill(0x61))
const levels = 40

function blockOf(codec: number, bytes: Uint8Array): Block {
  const cid = cidOf(1, codec, cutMultihash(sha256Code, null, bytes)).toString()
  return { codec, cid, bytes }
}

function linkOf({ block, name, size }: Named): DagLink {
  const { codec, bytes } = block
  return { cid: cidOf(1, codec, cutMultihash(sha256Code, null, bytes)).bytes, name, size }
}

function directory(entries: readonly Named[]): Block {
  const data = encodeUnixfs({ type: 'directory' })
  return blockOf(dagPbCodec, encodeDagNode({ links: entries.map(linkOf), data }))
}

function file(children: readonly Named[], fileSize?: bigint): Block {
  const blockSizes = children.map(({ size }) => size)
  const all = blockSizes.reduce((sum, size) => sum + size, 0n)
  const data = encodeUnixfs({ type: 'file', fileSize: fileSize ?? all, blockSizes })
  return blockOf(dagPbCodec, encodeDagNode({ links: children.map(linkOf), data }))
}

/** A shard with 256 slots, all of them filled. */
function shard(entries: readonly Named[]): Block {
  const bits = new Uint8Array(32).fill(0xff)
  const data = encodeUnixfs({ type: 'hamt', data: bits, hashType: 0x22n, fanout: 256n })
  return blockOf(dagPbCodec, encodeDagNode({ links: entries.map(linkOf), data }))
}

/** `above`: creates a block that links to the one below, from that block and its level. */
function tower(
  bottom: Block,
  height: number,
  above: (below: Block, level: number) => Block,
): Block[] {
  const blocks = [bottom]
  for (let level = 0; level < height; level += 1) {
    blocks.push(above(blocks.at(-1) ?? bottom, level))
  }
  return blocks
}

const places = Array.from({ length: 256 }, (_, n) => n.toString(16).toUpperCase().padStart(2, '0'))
const wide = Array.from({ length: 20_000 }, (_, n) => ({
  block: leaf,
  name: `entry ${n}`,
  size: 1n << 62n,
}))
const shards = tower(leaf, 8, (below, level) =>
  shard(
    places.map((place) => ({
      block: below,
      name: level === 0 ? `${place}name` : place,
      size: 1n << 60n,
    })),
  ),
)

/** CIDs in the encoding of a list. */
function list(children: readonly Block[]): Block {
  const cids = children.map(({ codec, bytes }) =>
    cidOf(1, codec, cutMultihash(sha256Code, null, bytes)),
  )
  return blockOf(dagCborCodec, encodeDagCbor(cids))
}

/** A visited link, a link to the next level, and the visited link again, so that the queue fills with visited links. */
const seen = Array.from({ length: 24_000 }, () => leaf)
const chain = tower(leaf, 1_500, (below) => list([below]))
const waiting = tower(chain.at(-1) ?? leaf, 15, (below) => list([leaf, below, ...seen]))

export const endlessDags: readonly EndlessDag[] = [
  {
    name: 'a chain of 1,500 under 360,000 links to visited nodes',
    path: '/1/1/1',
    blocks: [...chain, ...waiting.slice(1)],
  },
  {
    name: 'a file of 2^50 bytes',
    path: '',
    blocks: tower(leaf, levels, (block, level) => {
      const half = { block, name: '', size: 1_024n << BigInt(level) }
      return file([half, half])
    }),
  },
  {
    name: 'directories with 2^40 paths',
    path: '/a/b/a/b',
    blocks: tower(leaf, levels, (block) =>
      directory(['a', 'b'].map((name) => ({ block, name, size: 0n }))),
    ),
  },
  { name: 'a directory of 256^8 entries', path: '', blocks: shards },
  {
    name: 'a directory of twenty thousand names for one file',
    path: '/entry 7',
    blocks: [leaf, directory(wide)],
  },
  {
    name: 'a directory of files with false sizes',
    path: '/large',
    hasLies: true,
    blocks: [
      leaf,
      file([{ block: leaf, name: '', size: 1n << 40n }]),
      directory([
        {
          block: file([{ block: leaf, name: '', size: 1n << 40n }]),
          name: 'large',
          size: 1n << 50n,
        },
      ]),
    ],
  },
  {
    name: 'lists with 1000^40 paths',
    path: '/0/1/2/3',
    blocks: tower(leaf, levels, (block) => {
      const cid = cidOf(1, block.codec, cutMultihash(sha256Code, null, block.bytes))
      return blockOf(dagCborCodec, encodeDagCbor(Array.from({ length: 1_000 }, () => cid)))
    }),
  },
]
