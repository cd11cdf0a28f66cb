// The walk from a trie's root towards a key. It requests each node by its hash. An unavailable node is reported as missing, never
// as absence: absence must be proved by the nodes on the path.
import { equalBytes } from '../../base/hex.ts'
import { emptyTrieRoot } from './account-state.ts'
import { Malformed } from './rlp.ts'
import {
  childHashAt,
  leadsToLeaf,
  nibbleAt,
  readLeaf,
  stepThroughBytes,
  toNibbles,
} from './trie-node.ts'

/** Limit for a walk of 64 nibbles: each node except the last consumes at least one. */
const nodesMax = 65

/**
 * The node whose 32-byte hash is in `from` at position `at`, or null. Its bytes have that hash, and `decodeTrieNode`
 * accepts them.
 */
type FindNode = (from: Uint8Array, at: number) => Uint8Array | null

/** A walk that stops at a missing node and continues once the caller supplies it. */
export class TrieWalk {
  readonly #key: Uint8Array
  /** The hash of the next node is in `#from` at position `#at`. */
  #from: Uint8Array
  #at = 0
  /** Nibbles of the key that were consumed so far. */
  #depth = 0
  #nodes = 0

  /** `root`: 32 bytes. */
  constructor(root: Uint8Array, key: Uint8Array) {
    this.#from = root
    this.#key = key
  }

  /**
   * The leaf's value; null if the nodes on the path prove that there is none; undefined if a node is `missing`: then call again
   * with its verified bytes as `next`. Throws `Malformed`.
   */
  run(find: FindNode, next: Uint8Array | null = null): Uint8Array | null | undefined {
    if (this.#nodes === 0 && equalBytes(this.#from, emptyTrieRoot)) return null
    let bytes = next ?? find(this.#from, this.#at)
    while (bytes !== null) {
      this.#nodes += 1
      if (this.#nodes > nodesMax) throw new Malformed(`a walk of at most ${nodesMax} nodes`)
      const leaf = this.#stepThrough(bytes)
      if (leaf !== undefined) return leaf
      bytes = find(this.#from, this.#at)
    }
    return undefined
  }

  /** Hash of the node that was not found. */
  get missing(): Uint8Array {
    return this.#from.subarray(this.#at, this.#at + 32)
  }

  /** Undefined: continue with the next node. */
  #stepThrough(bytes: Uint8Array): Uint8Array | null | undefined {
    const key = this.#key
    const depth = this.#depth
    const child = depth < key.length * 2 ? childHashAt(bytes, nibbleAt(key, depth)) : -1
    if (child === 0) return null
    if (child > 0) return this.#goOn(bytes, child, depth + 1)
    const leaf = readLeaf(bytes)
    if (leaf !== null) {
      return leadsToLeaf(bytes, leaf, key, depth) ? bytes.subarray(leaf.valueAt) : null
    }
    const step = stepThroughBytes(bytes, toNibbles(key).subarray(depth))
    if (step === 'absent') return null
    if ('value' in step) return step.value
    return this.#goOn(step.next, 0, key.length * 2 - step.rest.length)
  }

  #goOn(from: Uint8Array, at: number, depth: number): undefined {
    this.#from = from
    this.#at = at
    this.#depth = depth
  }
}

/** The leaf's value; the proof that the key does not exist; or the hash of a node that `find` did not return. */
export type WalkEnd = { readonly value: Uint8Array } | 'absent' | { readonly missing: Uint8Array }

/** Walks through the nodes of a proof, in any order. `find` receives the hash of a node. Throws `Malformed`. */
export function walkProof(
  root: Uint8Array,
  key: Uint8Array,
  find: (hash: Uint8Array) => Uint8Array | null,
): WalkEnd {
  const walk = new TrieWalk(root, key)
  const value = walk.run((from, at) => find(from.subarray(at, at + 32)))
  if (value === undefined) return { missing: walk.missing }
  return value === null ? 'absent' : { value }
}
