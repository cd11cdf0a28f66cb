// Parses a reply with a chunked body without copying chunks. Joins only the head and the lines between chunks, if they arrive in
// parts.

const headBytesMax = 16 * 1024
const lineBytesMax = 64
const cr = 0x0d
const lf = 0x0a

/** State of the parser: `head` until the status is known, `end` after the trailers. */
type State = 'head' | 'size' | 'bytes' | 'after bytes' | 'trailers' | 'end'

export class ChunkedBody {
  status = 0
  #state: State = 'head'
  #line = ''
  #left = 0
  readonly #onBytes: (bytes: Buffer) => void

  /** `onBytes` receives views of the pushed bytes. */
  constructor(onBytes: (bytes: Buffer) => void) {
    this.#onBytes = onBytes
  }

  get ended(): boolean {
    return this.#state === 'end'
  }

  /** Throws if the reply is not chunked or not HTTP. */
  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#state !== 'end';) {
      if (this.#state === 'bytes') {
        const count = Math.min(this.#left, bytes.length - at)
        this.#onBytes(bytes.subarray(at, at + count))
        at += count
        this.#left -= count
        if (this.#left === 0) this.#state = 'after bytes'
      } else at = this.#readLine(bytes, at)
    }
  }

  /** Returns the offset after the line. */
  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lf, at)
    const upTo = end === -1 ? bytes.length : end
    this.#line += bytes.toString('latin1', at, upTo)
    const most = this.#state === 'head' || this.#state === 'trailers' ? headBytesMax : lineBytesMax
    if (this.#line.length > most) throw new Error(`a line too long: ${this.#line.slice(0, 80)}`)
    if (end === -1) return upTo
    const line = this.#line.charCodeAt(this.#line.length - 1) === cr ? this.#line.slice(0, -1) : ''
    this.#line = ''
    this.#take(line)
    return end + 1
  }

  #take(line: string): void {
    switch (this.#state) {
      case 'head': {
        if (this.status === 0) this.status = Number(line.slice(9, 12))
        else if (line === '') this.#state = 'size'
        return
      }
      case 'size': {
        this.#left = Number.parseInt(line, 16)
        if (!(this.#left >= 0)) throw new Error(`no size of a chunk: ${line}`)
        this.#state = this.#left === 0 ? 'trailers' : 'bytes'
        return
      }
      case 'after bytes': {
        this.#state = 'size'
        return
      }
      case 'bytes':
      case 'trailers':
      case 'end': {
        if (line === '') this.#state = 'end'
      }
    }
  }
}
