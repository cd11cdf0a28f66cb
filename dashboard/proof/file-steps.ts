// The steps from a CID to the bytes of a file: each block with its hash, computed in the browser and compared with its CID.
import { CID } from 'multiformats/cid'
import { toHex } from '../../src/base/hex.ts'
import { hashFunctions } from '../../src/codec/hash/hash-functions.ts'
import { dagPbCodec, rawCodec } from '../../src/codec/ipld/cid.ts'
import { decodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { decodeUnixfs } from '../../src/codec/ipld/unixfs.ts'
import { formatCount } from '../app/format.ts'

export type BlockStep = {
  readonly title: string
  readonly cid: string
  readonly bytes: Uint8Array
  /** Digest in the CID, hex. */
  readonly expected: string
  /** Hash computed in the browser, hex; null: the page lacks the hash function. */
  readonly hash: string | null
  readonly isValid: boolean
  readonly links: readonly { readonly name: string; readonly cid: string; readonly size: bigint }[]
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** Bytes of the file in this block. */
  readonly content: Uint8Array | null
}

/** Throws if the CID or the block cannot be decoded. */
export function blockStep(cidText: string, bytes: Uint8Array): BlockStep {
  const cid = CID.parse(cidText)
  const { code, digest } = cid.multihash
  const isIdentity = code === 0
  const hash = isIdentity ? toHex(bytes) : digestOf(code, bytes)
  const expected = toHex(digest)
  const shared = { cid: cidText, bytes, expected, hash, isValid: hash === expected }
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
  const run = hashFunctions.get(code)
  return run === undefined ? null : toHex(run(bytes))
}

function sizes(bytes: Uint8Array): readonly (readonly [string, string])[] {
  return [['Size', formatCount(bytes.length, 'byte')]]
}
