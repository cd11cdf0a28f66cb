// One walk from a trie's root towards a key, node by node, each asked for by its hash. It goes as far as nodes are
// at hand and says which one it lacks: whether to wait for that is the caller's business.
// Tested by src/ethereum/state.test.ts
import { Fault } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import { emptyTrieRoot } from '../codec/account-state.ts'
import { Malformed } from '../codec/malformed.ts'
import { nibbleAt } from '../codec/nibbles.ts'
import { childHashAt, leadsToLeaf, readLeaf } from '../codec/plain-node.ts'
import { type Step, stepThroughBytes, toNibbles } from '../codec/trie-node.ts'
import type { PeekNode } from '../content/ref.ts'

/** A walk of 64 nibbles: each node but the last uses up at least one. */
export const walkNodesMax = 65

const keyNibbles = 64

export class Walker {
  readonly #key: Uint8Array
  /** The hash of the next node stands in `#from` at `#at`. */
  #from: Uint8Array
  #at = 0
  /** Nibbles of the key that the nodes so far have used up. */
  #depth = 0
  #nodes = 0

  /** Both 32 bytes. */
  constructor(root: Uint8Array, key: Uint8Array) {
    this.#from = root
    this.#key = key
  }

  /**
   * The leaf's value; null when the nodes on the way prove there is none; undefined when a node is `missing`:
   * then call again with its verified bytes as `next`. Throws `unverified`.
   */
  walk(peekNode: PeekNode, next: Uint8Array | null = null): Uint8Array | null | undefined {
    if (this.#nodes === 0 && equalBytes(this.#from, emptyTrieRoot)) return null
    let bytes = next ?? peekNode(this.#from, this.#at)
    while (bytes !== null) {
      this.#nodes += 1
      if (this.#nodes > walkNodesMax) throw tooLong()
      const leaf = this.#stepThrough(bytes)
      if (leaf !== undefined) return leaf
      bytes = peekNode(this.#from, this.#at)
    }
    return undefined
  }

  /** The hash of the node that was not at hand. */
  get missing(): Uint8Array {
    return this.#from.subarray(this.#at, this.#at + 32)
  }

  /** Undefined: on to the next node. */
  #stepThrough(bytes: Uint8Array): Uint8Array | null | undefined {
    const key = this.#key
    const depth = this.#depth
    const child = depth < keyNibbles ? childHashAt(bytes, nibbleAt(key, depth)) : -1
    if (child === 0) return null
    if (child > 0) return this.#goOn(bytes, child, depth + 1)
    const leaf = readLeaf(bytes)
    if (leaf !== null) {
      return leadsToLeaf(bytes, leaf, key, depth) ? bytes.subarray(leaf.valueAt) : null
    }
    const step = stepProved(bytes, toNibbles(key).subarray(depth))
    if (step === 'absent') return null
    if ('value' in step) return step.value
    return this.#goOn(step.next, 0, keyNibbles - step.rest.length)
  }

  #goOn(from: Uint8Array, at: number, depth: number): undefined {
    this.#from = from
    this.#at = at
    this.#depth = depth
  }
}

function tooLong(): Fault {
  return new Fault('unverified', {
    cause: new Malformed(`a walk of at most ${walkNodesMax} nodes`),
  })
}

/** One step of a walk through a node's bytes. Throws `unverified`. */
export function stepProved(bytes: Uint8Array, path: Uint8Array): Step {
  return decodeProved((raw) => stepThroughBytes(raw, path), bytes)
}

/** Bytes of the right hash that are no such thing: the root itself commits to nonsense (`unverified`). */
export function decodeProved<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array): T {
  try {
    return decode(bytes)
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault('unverified', { cause: thrown })
    throw thrown
  }
}
