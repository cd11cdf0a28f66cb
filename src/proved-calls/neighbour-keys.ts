// Finds a key whose hash starts with a given trie path. Proofs are requested by key, so a trie node with a known path but no known
// key is obtained with the proof of any key below that path, even one that does not exist. Keys are found by hashing ascending
// numbers; a table stores the results, so each number is hashed once.
// Tested by src/proved-calls/neighbour-keys.test.ts
import { keccak256 } from '../codec/hash/keccak.ts'
import { nibbleAt } from '../codec/ethereum/trie-node.ts'

/** Nibbles of the longest path: 2^20 paths, all found after about 15 million hashes. One more nibble needs 16 times as many. */
const nibblesMax = 5
const pathsMax = 16 ** nibblesMax

export class NeighbourKeys {
  readonly #key: Uint8Array
  readonly #view: DataView
  /** The number to hash, indexed by the first `nibblesMax` nibbles of its hash; 0: none yet. */
  readonly #numbers = new Uint32Array(pathsMax)
  #last = 0

  /** `length`: bytes of a key, 20 for addresses and 32 for slots. */
  constructor(length: 20 | 32) {
    this.#key = new Uint8Array(length)
    this.#view = new DataView(this.#key.buffer)
  }

  /** True if the path is short enough to search for. */
  static canSearch(path: Uint8Array): boolean {
    return path.length <= nibblesMax
  }

  /** A key whose hash starts with the nibbles `path`; null: none found yet. */
  find(path: Uint8Array): Uint8Array | null {
    if (!NeighbourKeys.canSearch(path)) return null
    const width = 16 ** (nibblesMax - path.length)
    const first = path.reduce((sum, nibble) => sum * 16 + nibble, 0) * width
    const number = this.#numbers.subarray(first, first + width).find((one) => one !== 0)
    return number === undefined ? null : this.#keyOf(number).slice()
  }

  /** Hashes `count` more numbers: about 1 ms for a thousand. */
  search(count: number): void {
    for (let hashed = 0; hashed < count; hashed += 1) {
      this.#last += 1
      const hash = keccak256(this.#keyOf(this.#last))
      let at = 0
      for (let index = 0; index < nibblesMax; index += 1) at = at * 16 + nibbleAt(hash, index)
      if (this.#numbers[at] === 0) this.#numbers[at] = this.#last
    }
  }

  #keyOf(number: number): Uint8Array {
    this.#view.setUint32(this.#key.length - 4, number)
    return this.#key
  }
}
