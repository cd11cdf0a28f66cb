// A trie with few keys that is as deep as that of a large network: each branch has 16 children, and children that are on no path to
// a key are random hashes.
import { toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { nibbleAt, packPath } from '../../src/codec/ethereum/trie-node.ts'
import { encodeRlp } from '../../src/codec/ethereum/rlp.ts'

/** `key`: 32 bytes. */
type Pair = readonly [key: Uint8Array, value: Uint8Array]

type Tree = {
  readonly bytes: Uint8Array
  readonly hex: string
  readonly children: readonly (Tree | null)[]
}

export type PaddedTrie = {
  readonly root: Uint8Array
  /** From the root down to the leaf of `key`, as hex. */
  proof(key: Uint8Array): readonly string[]
  /** The same as bytes. */
  nodes(key: Uint8Array): readonly Uint8Array[]
}

/** `nodes`: length of a path, including its leaf; two keys with a longer common prefix have longer paths. */
export function createPaddedTrie(pairs: readonly Pair[], nodes: number): PaddedTrie {
  let fillers = 0
  const filler = (): Uint8Array => {
    const seed = new Uint8Array(8)
    new DataView(seed.buffer).setUint32(0, ++fillers)
    return keccak256(seed)
  }

  function build(within: readonly Pair[], depth: number): Tree {
    const [first] = within
    if (first === undefined) throw new Error('a trie without keys')
    if (within.length === 1 && depth >= nodes - 1) {
      const bytes = encodeRlp([packPath(first[0], depth, 64, true), first[1]])
      return { bytes, hex: toHex(bytes), children: [] }
    }
    const groups = Array.from({ length: 16 }, (_, nibble) =>
      within.filter(([key]) => nibbleAt(key, depth) === nibble),
    )
    const children = groups.map((group) => (group.length === 0 ? null : build(group, depth + 1)))
    const hashes = children.map((child) => (child === null ? filler() : keccak256(child.bytes)))
    const bytes = encodeRlp([...hashes, new Uint8Array(0)])
    return { bytes, hex: toHex(bytes), children }
  }

  const top = build(pairs, 0)

  function path(key: Uint8Array): readonly Tree[] {
    const walked: Tree[] = []
    for (let at: Tree | null | undefined = top; at !== null && at !== undefined;) {
      walked.push(at)
      at = at.children[nibbleAt(key, walked.length - 1)]
    }
    return walked
  }

  return {
    root: keccak256(top.bytes),
    proof: (key) => path(key).map(({ hex }) => hex),
    nodes: (key) => path(key).map(({ bytes }) => bytes),
  }
}
