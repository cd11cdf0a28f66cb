// Reads a byte stream in lengths known in advance: buffers one chunk, without read-ahead.
// Tested by src/codec/ipld/car.test.ts
import { Fault } from '../../base/fault.ts'

const none = new Uint8Array(0)
const varintBytesMax = 9

export class ByteWindow {
  readonly #pieces: AsyncIterator<Uint8Array>
  /** The unread rest of the last chunk. */
  #piece: Uint8Array = none
  /** Number of bytes that may still be read. */
  #left = Number.POSITIVE_INFINITY

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** Limits further reads to `bytes`. */
  limit(bytes: number): void {
    this.#left = bytes
  }

  /**
   * The next `length` bytes (the caller has validated the length): a view if they are in one chunk. Throws
   * `command_failed` if fewer are left.
   */
  async read(length: number): Promise<Uint8Array> {
    if (length > this.#left) throw cutShort()
    this.#left -= length
    if (this.#piece.length === 0 && length > 0 && !(await this.#fill())) throw cutShort()
    if (this.#piece.length >= length) return this.#cut(length)
    // Copy chunks as they arrive, so that many small ones do not stay in memory as objects.
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
   * An unsigned varint in its shortest form, at most 9 bytes; null if the stream ends before it. Throws
   * `command_failed` for any other form.
   */
  async varint(): Promise<number | null> {
    let value = 0
    for (let index = 0; index < varintBytesMax; index += 1) {
      if (this.#left === 0 || (this.#piece.length === 0 && !(await this.#fill()))) {
        // With a limit the end is known: an end of the stream before it is a truncation.
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

  /** At least one and at most `most` of the next bytes, without waiting for more. Throws `command_failed` at the end. */
  async some(most: number): Promise<Uint8Array> {
    if (this.#left === 0 || (this.#piece.length === 0 && !(await this.#fill()))) throw cutShort()
    const part = this.#cut(Math.min(most, this.#left, this.#piece.length))
    this.#left -= part.length
    return part
  }

  /** Reads and discards `length` bytes. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      if (this.#piece.length === 0 && !(await this.#fill())) throw cutShort()
      left -= this.#cut(Math.min(left, this.#piece.length)).length
    }
  }

  /** Reads the stream to its end, ignoring the limit. */
  async drain(): Promise<void> {
    while (await this.#fill());
    this.#piece = none
  }

  #cut(length: number): Uint8Array {
    const part = this.#piece.subarray(0, length)
    this.#piece = this.#piece.subarray(length)
    return part
  }

  /** False at the end of the stream; otherwise `#piece` is not empty. */
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
