// Writes RLP from the end to the front: when the head of a list is written, its length is known, so no length is computed
// in advance and no data is moved. Marks count from the end and stay valid when the buffer grows.
// Tested by src/codec/ethereum/rlp.test.ts

/** Length of the head of a string or list of `length` bytes; a single byte below 0x80 has none. */
export function headLength(length: number): number {
  if (length < 56) return 1
  let width = 1
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) width += 1
  return width
}

const bytesAtFirst = 1024
/** A larger buffer is released by `clear`. */
const retainedBytesMax = 1024 * 1024

/** Use one for each encoding, or clear it before the next; the buffer grows by doubling. */
export class RlpWriter {
  #buffer: Uint8Array
  #start: number

  /** `capacity`: expected number of bytes, if known. */
  constructor(capacity = bytesAtFirst) {
    this.#buffer = new Uint8Array(capacity)
    this.#start = capacity
  }

  /** Bytes written so far: a mark for `closeList`, `since` and `rewind`. */
  get mark(): number {
    return this.#buffer.length - this.#start
  }

  /** Writes bytes as an RLP string, before everything written so far. */
  string(bytes: Uint8Array): void {
    this.raw(bytes)
    if (bytes.length !== 1 || (bytes[0] ?? 0) >= 0x80) this.#head(bytes.length, 0x80)
  }

  /** Wraps everything written since `mark` in one list. */
  closeList(mark: number): void {
    this.#head(this.mark - mark, 0xc0)
  }

  /** Wraps everything written since `mark`, at least two bytes, in one string. */
  closeString(mark: number): void {
    this.#head(this.mark - mark, 0x80)
  }

  /** Writes bytes that are already RLP. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#start -= bytes.length
    this.#buffer.set(bytes, this.#start)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#start -= 1
    this.#buffer[this.#start] = value
  }

  /** A view of the bytes written since `mark`, valid until the next write. */
  since(mark: number): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#buffer.length - mark)
  }

  /** Discards everything written since `mark`. */
  rewind(mark: number): void {
    this.#start = this.#buffer.length - mark
  }

  /** Discards everything written, also after an encoding that threw. */
  clear(): void {
    if (this.#buffer.length > retainedBytesMax) this.#buffer = new Uint8Array(bytesAtFirst)
    this.#start = this.#buffer.length
  }

  /** Returns everything written and clears the writer. The caller owns the result: a copy, or the buffer itself if it is full. */
  finish(): Uint8Array {
    const written = this.#start === 0 ? this.#buffer : this.#buffer.slice(this.#start)
    if (this.#start === 0) this.#buffer = new Uint8Array(bytesAtFirst)
    this.#start = this.#buffer.length
    return written
  }

  #head(length: number, base: number): void {
    if (length < 56) return this.byte(base + length)
    let width = 0
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) {
      this.byte(rest % 256)
      width += 1
    }
    this.byte(base + 55 + width)
  }

  #reserve(length: number): void {
    if (this.#start >= length) return
    const written = this.mark
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, written + length))
    grown.set(this.#buffer.subarray(this.#start), grown.length - written)
    this.#buffer = grown
    this.#start = grown.length - written
  }
}
