// A walk through a proof, a bag of nodes in any order: each node is asked for by its hash, so what else is in
// the bag does not matter, and a node that is not in it is missing, never absence (verification 1.5).
import { equalBytes } from '../base/hex.ts'
import { emptyTrieRoot } from './account-state.ts'
import { Malformed } from './malformed.ts'
import { nibbleAt } from './nibbles.ts'
import { childHashAt, leadsToLeaf, readLeaf } from './plain-node.ts'
import { stepThroughBytes, toNibbles } from './trie-node.ts'

/** Of 64 nibbles: each node but the last uses up at least one. */
const nodesMax = 65

/** The leaf's value; the proof that the key has none; or the hash of the node the bag does not hold. */
export type WalkEnd = { readonly value: Uint8Array } | 'absent' | { readonly missing: Uint8Array }

/**
 * `root` and `key`: 32 bytes. `find` answers with a node whose keccak256 is the hash it is given, and which
 * `decodeTrieNode` accepts, or null. Throws `Malformed` when the walk is longer than a key.
 */
export function walkProof(
  root: Uint8Array,
  key: Uint8Array,
  find: (hash: Uint8Array) => Uint8Array | null,
): WalkEnd {
  if (equalBytes(root, emptyTrieRoot)) return 'absent'
  let hash = root
  let depth = 0
  for (let nodes = 0; nodes < nodesMax; nodes += 1) {
    const bytes = find(hash)
    if (bytes === null) return { missing: hash }
    const child = depth < key.length * 2 ? childHashAt(bytes, nibbleAt(key, depth)) : -1
    if (child === 0) return 'absent'
    if (child > 0) {
      hash = bytes.subarray(child, child + 32)
      depth += 1
      continue
    }
    const leaf = readLeaf(bytes)
    if (leaf !== null) {
      if (!leadsToLeaf(bytes, leaf, key, depth)) return 'absent'
      return { value: bytes.subarray(leaf.valueAt) }
    }
    const step = stepThroughBytes(bytes, toNibbles(key).subarray(depth))
    if (step === 'absent' || 'value' in step) return step
    hash = step.next
    depth = key.length * 2 - step.rest.length
  }
  throw new Malformed(`a walk of at most ${nodesMax} nodes`)
}
