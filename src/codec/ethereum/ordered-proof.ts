// The nodes of an ordered trie that prove one entry of a list, or its absence: a few nodes instead of the
// list. To read an entry from these nodes, use an ordinary walk.
import { toBareHex } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { orderedKey } from './ordered-trie.ts'
import { buildTrie } from './trie-build.ts'
import { walkProof } from './trie-walk.ts'

/** A node's RLP under its keccak256 as 64 hex digits. */
export type NamedNode = readonly [name: string, node: Uint8Array]

export type OrderedTrie = {
  readonly entries: readonly Uint8Array[]
  /** Every node that has a hash. */
  readonly nodes: readonly NamedNode[]
  /** From the root to the entry at `index`, or to where the walk shows that there is none. */
  nodesTo(index: number): readonly NamedNode[]
}

/** `entries`: as `decodeEntries` gives them. Throws `Malformed` on an empty one. */
export function createOrderedTrie(entries: readonly Uint8Array[]): OrderedTrie {
  const { root, nodes } = buildTrie(entries.map((entry, index) => [orderedKey(index), entry]))
  const byName = new Map(nodes.map((node) => [toBareHex(keccak256(node)), node]))
  return {
    entries,
    nodes: [...byName],
    nodesTo(index) {
      const passed: NamedNode[] = []
      walkProof(root, orderedKey(index), (hash) => {
        const name = toBareHex(hash)
        const node = byName.get(name) ?? null
        if (node !== null) passed.push([name, node])
        return node
      })
      return passed
    },
  }
}
