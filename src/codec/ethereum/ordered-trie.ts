// Tries over a list: key = RLP(index), not hashed; value = the raw entry. Headers commit to transactions, receipts and
// withdrawals in this form. Computes the root, the nodes that prove one entry or its absence, and the entries that are reachable
// through the available nodes.
// Tested by src/codec/ethereum/ordered-trie.test.ts
import { Malformed, decodeInteger, decodeRlp, encodeInteger, encodeRlp } from './rlp.ts'
import { buildTrie, trieRoot } from './trie-build.ts'
import { type TrieChild, decodeTrieNode, fromNibbles } from './trie-node.ts'
import { entriesMax } from './list.ts'
import { toBareHex } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { walkProof } from './trie-walk.ts'

/** `entries`: from `decodeEntries`. Returns `emptyTrieRoot` for no entries. */
export function orderedRoot(entries: readonly Uint8Array[]): Uint8Array {
  return trieRoot(entries.map((entry, index) => [orderedKey(index), entry] as const))
}

/** No key is a prefix of another, so proofs follow the rules of any other trie. */
export function orderedKey(index: number): Uint8Array {
  // Fast path for common indexes: a list of 200 entries needs 200 keys.
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  return encodeRlp(encodeInteger(index))
}

export type OrderedLeaf = { readonly index: number; readonly entry: Uint8Array }

/**
 * The reachable entries in key order (1 to 127, 0, 128 ...). `find`: returns a node by its hash; null: the entries below it are
 * skipped. `root`: from a header. Throws `Malformed`, also for more than `entriesMax` entries.
 */
export function* listSettings(
  root: Uint8Array,
  find: (hash: Uint8Array) => Uint8Array | null,
): Generator<OrderedLeaf> {
  const waiting: { readonly child: TrieChild; readonly path: readonly number[] }[] = [
    { child: root, path: [] },
  ]
  let found = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { child, path } = next
    const node = child instanceof Uint8Array ? nodeAt(child, find) : child
    if (node === null) continue
    // An index has at most 7 bytes; its RLP has one more.
    if (path.length > 16) throw new Malformed('a key of at most 8 bytes')
    switch (node.type) {
      case 'leaf':
        found += 1
        if (found > entriesMax) throw new Malformed(`a list of at most ${entriesMax} items`)
        yield { index: indexOf([...path, ...node.path]), entry: node.value }
        break
      case 'extension':
        waiting.push({ child: node.child, path: [...path, ...node.path] })
        break
      case 'branch':
        for (let nibble = 15; nibble >= 0; nibble -= 1) {
          waiting.push({ child: node.children[nibble] ?? null, path: [...path, nibble] })
        }
    }
  }
}

function nodeAt(hash: Uint8Array, find: (hash: Uint8Array) => Uint8Array | null) {
  const bytes = find(hash)
  return bytes === null ? null : decodeTrieNode(bytes)
}

function indexOf(nibbles: readonly number[]): number {
  const key = decodeRlp(fromNibbles(nibbles))
  if (!(key instanceof Uint8Array)) throw new Malformed('an index as a string')
  return Number(decodeInteger(key, 6))
}

/** RLP of a node, named by its keccak256 as 64 hex digits. */
export type NamedNode = readonly [name: string, node: Uint8Array]

export type OrderedTrie = {
  readonly entries: readonly Uint8Array[]
  /** Every node that is not embedded. */
  readonly nodes: readonly NamedNode[]
  /** Nodes from the root to the entry at `index`, or to the point that proves its absence. */
  nodesTo(index: number): readonly NamedNode[]
}

/** `entries`: from `decodeEntries`. Throws `Malformed` for an empty entry. */
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
