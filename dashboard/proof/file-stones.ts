// A file's way from its CID to its bytes: each block, its hash worked out here and compared with the CID that named it.
import { blake2b } from '@noble/hashes/blake2.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { CID } from 'multiformats/cid'
import { toHex } from '../../src/base/hex.ts'
import { dagPbCodec, rawCodec } from '../../src/codec/cid.ts'
import { decodeDagNode } from '../../src/codec/dag-pb.ts'
import { decodeUnixfs } from '../../src/codec/unixfs.ts'
import { formatCount } from '../app/format.ts'

export type BlockStone = {
  readonly title: string
  readonly cid: string
  readonly bytes: Uint8Array
  /** Digest that the CID names; hex. */
  readonly expected: string
  /** Worked out here; null: a hash function that the page does not have. */
  readonly hash: string | null
  readonly isRight: boolean
  readonly links: readonly { readonly name: string; readonly cid: string; readonly size: bigint }[]
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** Bytes of the file that lie in this very block. */
  readonly content: Uint8Array | null
}

const hashes: ReadonlyMap<number, (bytes: Uint8Array) => Uint8Array> = new Map([
  [0x12, sha256],
  [0x13, sha512],
  [0xb220, (bytes: Uint8Array) => blake2b(bytes, { dkLen: 32 })],
])

/** Throws for a CID or a block that cannot be read. */
export function blockStone(cidText: string, bytes: Uint8Array): BlockStone {
  const cid = CID.parse(cidText)
  const { code, digest } = cid.multihash
  const isIdentity = code === 0
  const hash = isIdentity ? toHex(bytes) : digestOf(code, bytes)
  const expected = toHex(digest)
  const shared = { cid: cidText, bytes, expected, hash, isRight: hash === expected }
  if (cid.code === rawCodec) {
    return { ...shared, title: 'Raw block', links: [], facts: sizes(bytes), content: bytes }
  }
  if (cid.code !== dagPbCodec) {
    const facts = [...sizes(bytes), ['Codec', `0x${cid.code.toString(16)}`] as const]
    return { ...shared, title: 'Block', links: [], facts, content: null }
  }
  const node = decodeDagNode(bytes)
  const links = node.links.map(({ cid: linked, name, size }) => ({
    name,
    size,
    cid: CID.decode(linked).toString(),
  }))
  const unixfs = node.data === null ? null : decodeUnixfs(node.data)
  const facts = [
    ...sizes(bytes),
    ['Links', String(links.length)] as const,
    ...(unixfs === null ? [] : ([['Holds', unixfs.type]] as const)),
  ]
  const title = unixfs === null ? 'Node' : `Node of a ${unixfs.type}`
  return { ...shared, title, links, facts, content: unixfs?.data ?? null }
}

function digestOf(code: number, bytes: Uint8Array): string | null {
  const run = hashes.get(code)
  return run === undefined ? null : toHex(run(bytes))
}

function sizes(bytes: Uint8Array): readonly (readonly [string, string])[] {
  return [['Size', formatCount(bytes.length, 'byte')]]
}
