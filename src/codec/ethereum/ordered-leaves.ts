// The entries of an ordered trie that can be reached with the available nodes, whichever these are. A walk to a given
// index cannot list the available indexes.
import { fromNibbles } from './nibbles.ts'
import { entriesMax } from './list.ts'
import { Malformed } from './malformed.ts'
import { decodeInteger, decodeRlp } from './rlp.ts'
import { decodeTrieNode, type TrieChild } from './trie-node.ts'

export type OrderedLeaf = { readonly index: number; readonly entry: Uint8Array }

/**
 * In the order of keys (1 to 127, 0, 128 ...). `find`: a node by its hash, or null, then all below it is passed over.
 * `root` is what a header commits to. Throws `Malformed`, also past `entriesMax` entries.
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
    // An index has at most 7 bytes, and RLP one more.
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
