// The walk from a trie's root towards a key. It requests each node by its hash, so a node that is not available is missing,
// never absent: absence is a result that the nodes on the way prove.
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

/** A walk of 64 nibbles: each node but the last uses up at least one. */
const nodesMax = 65

/**
 * The node whose hash of 32 bytes stands in `from` at `at`, or null. Its bytes have that hash, and `decodeTrieNode`
 * accepts them.
 */
type FindNode = (from: Uint8Array, at: number) => Uint8Array | null

/** A walk that stops where a node is missing and continues when the caller has it. */
export class TrieWalk {
  readonly #key: Uint8Array
  /** The hash of the next node stands in `#from` at `#at`. */
  #from: Uint8Array
  #at = 0
  /** Nibbles of the key that the nodes so far have used up. */
  #depth = 0
  #nodes = 0

  /** `root`: 32 bytes. */
  constructor(root: Uint8Array, key: Uint8Array) {
    this.#from = root
    this.#key = key
  }

  /**
   * The leaf's value; null when the nodes on the way prove that there is none; undefined when a node is `missing`:
   * then call again with its verified bytes as `next`. Throws `Malformed`.
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

  /** The hash of the node that was not found. */
  get missing(): Uint8Array {
    return this.#from.subarray(this.#at, this.#at + 32)
  }

  /** Undefined: on to the next node. */
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

/** The leaf's value; the proof that the key has none; or the hash of a node that `find` does not have. */
export type WalkEnd = { readonly value: Uint8Array } | 'absent' | { readonly missing: Uint8Array }

/** A walk through the nodes of a proof, in any order. `find` gets the hash of a node. Throws `Malformed`. */
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
