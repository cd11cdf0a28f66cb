// A byte stream read in lengths known in advance: holds one chunk, without read-ahead.
// Tested by src/codec/ipld/car.test.ts
import { Fault } from '../../base/fault.ts'

const none = new Uint8Array(0)
const varintBytesMax = 9

export class ByteWindow {
  readonly #pieces: AsyncIterator<Uint8Array>
  /** What has arrived and was not taken yet. */
  #piece: Uint8Array = none
  /** How many bytes may still be taken. */
  #left = Number.POSITIVE_INFINITY

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** Limits the stream to `bytes` more, whatever follows. */
  limit(bytes: number): void {
    this.#left = bytes
  }

  /**
   * The next `length` bytes, a length that the caller has validated: a view if they are in one chunk. Throws
   * `command_failed` when fewer are left.
   */
  async take(length: number): Promise<Uint8Array> {
    if (length > this.#left) throw cutShort()
    this.#left -= length
    if (this.#piece.length === 0 && length > 0 && !(await this.#fill())) throw cutShort()
    if (this.#piece.length >= length) return this.#cut(length)
    // Copied as it comes: many small pieces must not wait as many objects.
    const out = new Uint8Array(length)
    for (let at = 0; at < length;) {
      if (this.#piece.length === 0 && !(await this.#fill())) throw cutShort()
      const part = this.#cut(Math.min(length - at, this.#piece.length))
      out.set(part, at)
      at += part.length
    }
    return out
  }

  /**
   * An unsigned varint in its shortest form, at most 9 bytes; null when the stream ends before it. Throws
   * `command_failed` for any other.
   */
  async varint(): Promise<number | null> {
    let value = 0
    for (let index = 0; index < varintBytesMax; index += 1) {
      if (this.#left === 0 || (this.#piece.length === 0 && !(await this.#fill()))) {
        // Within a limit the end is known: to stop before it is to be cut short.
        if (index === 0 && (this.#left === 0 || this.#left === Number.POSITIVE_INFINITY))
          return null
        throw cutShort()
      }
      const byte = this.#piece[0] ?? 0
      this.#piece = this.#piece.subarray(1)
      this.#left -= 1
      value += (byte & 0x7f) * 2 ** (7 * index)
      if (byte >= 0x80) continue
      if (byte === 0 && index > 0) throw refused('varint not minimally encoded')
      return value
    }
    throw refused('varints larger than uint63 not supported')
  }

  /** At most `most` of the next bytes, at least one, as they came. Throws `command_failed` at the end. */
  async some(most: number): Promise<Uint8Array> {
    if (this.#left === 0 || (this.#piece.length === 0 && !(await this.#fill()))) throw cutShort()
    const part = this.#cut(Math.min(most, this.#left, this.#piece.length))
    this.#left -= part.length
    return part
  }

  /** Reads `length` bytes away. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      if (this.#piece.length === 0 && !(await this.#fill())) throw cutShort()
      left -= this.#cut(Math.min(left, this.#piece.length)).length
    }
  }

  /** Reads the stream to its end, limit or not. */
  async drain(): Promise<void> {
    while (await this.#fill());
    this.#piece = none
  }

  #cut(length: number): Uint8Array {
    const part = this.#piece.subarray(0, length)
    this.#piece = this.#piece.subarray(length)
    return part
  }

  /** False at the end of the stream; else the piece is not empty. */
  async #fill(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#pieces.next()
      if (done === true) return false
      this.#piece = value
      if (value.length > 0) return true
    }
  }
}

function cutShort(): Fault {
  return refused('unexpected EOF')
}

function refused(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
