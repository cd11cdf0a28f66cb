// The nodes of a proof as received. Each becomes bytes on its first use: a waiting read needs only one of them, and
// nodes checked before are recognized by their text.
// Tested by src/chain/upstream/source/check-proof.test.ts
import { equalBytes, toBareHex } from '../../../base/hex.ts'
import { bytesOf } from '../../../codec/ethereum/json-fields.ts'

export class ProofNodes {
  readonly #texts: readonly string[]
  readonly #bytes: (Uint8Array | undefined)[] = []

  constructor(texts: readonly string[]) {
    this.#texts = texts
  }

  get length(): number {
    return this.#texts.length
  }

  /** `index`: less than `length`. Throws `Malformed` if it is not hex of whole bytes. */
  at(index: number): Uint8Array {
    const known = this.#bytes[index]
    if (known !== undefined) return known
    const bytes = bytesOf(this.#texts[index], 'node')
    this.#bytes[index] = bytes
    return bytes
  }

  /** True if these are its bytes. False also if it is not lower-case hex. `index`: as of `at`. */
  isAt(index: number, bytes: Uint8Array): boolean {
    const known = this.#bytes[index]
    if (known !== undefined) return equalBytes(known, bytes)
    const text = this.#texts[index] ?? ''
    if (text.length !== 2 + 2 * bytes.length) return false
    // Cheaper than decoding the text, whose bytes are not needed.
    return text.slice(2) === toBareHex(bytes) && text.startsWith('0x')
  }

  /** Throws as `at`. */
  all(): readonly Uint8Array[] {
    return this.#texts.map((_, index) => this.at(index))
  }

  /** The texts of the first `count` nodes. */
  spelled(count: number): readonly string[] {
    return this.#texts.slice(0, count)
  }

  /** True if the first nodes have these texts. */
  beginsWith(texts: readonly string[]): boolean {
    return texts.every((text, index) => text === this.#texts[index])
  }
}
