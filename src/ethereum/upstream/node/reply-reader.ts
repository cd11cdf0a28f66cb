// One response out of the bytes of a connection, in whatever pieces they come: its head, and its body by length, by
// chunks or to the end. Holds nothing but a line that is not whole yet.
// Tested by src/ethereum/upstream/node/connections.test.ts
import type { ReadReplyHead, ReplyHead } from './reply-head.ts'

/** Whom a response is handed to. */
export type ReplyTaker = {
  onHead(head: ReplyHead): void
  /** `bytes`: valid until it returns. `isLast`: the response ends with them. */
  onBody(bytes: Buffer, isLast: boolean): void
}

const nothing = Buffer.alloc(0)
const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')
const chunkSize = /^([0-9a-fA-F]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const chunkLineMax = 1024

export class ReplyReader {
  readonly #taker: ReplyTaker
  readonly #readReplyHead: ReadReplyHead
  readonly #headBytesMax: number
  /** In lines that must be whole, in bytes that are counted, in a body that goes on to the end, or behind it all. */
  #at: 'head' | 'body' | 'rest' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'over' = 'head'
  #held: Buffer = nothing
  /** Of the body or the chunk. */
  #bytesLeft = 0
  /** Of heads, and of trailers. */
  #lineBytes = 0
  #idleMs: number | null = 0

  constructor(
    taker: ReplyTaker,
    { readReplyHead, headBytesMax }: { readReplyHead: ReadReplyHead; headBytesMax: number },
  ) {
    this.#taker = taker
    this.#readReplyHead = readReplyHead
    this.#headBytesMax = headBytesMax
  }

  get isOver(): boolean {
    return this.#at === 'over'
  }

  /** As `ReplyHead` says. */
  get idleMs(): number | null {
    return this.#idleMs
  }

  /** Takes what came. Null: all is well; else what is wrong with it, and nothing more is taken. */
  push(came: Buffer): string | null {
    const bytes = this.#held.length === 0 ? came : Buffer.concat([this.#held, came])
    this.#held = nothing
    let from = 0
    while (from < bytes.length) {
      const next = this.#step(bytes, from)
      if (typeof next === 'string') return next
      if (next === from) {
        this.#held = Buffer.from(bytes.subarray(from))
        return null
      }
      from = next
    }
    return null
  }

  /** The connection has ended. False: in the middle of a response. */
  end(): boolean {
    if (this.#at === 'rest') this.#finish(nothing)
    return this.#at === 'over'
  }

  /** Where to go on, the same place when more must come first; or what is wrong. */
  #step(bytes: Buffer, from: number): number | string {
    switch (this.#at) {
      case 'head':
        return this.#readHead(bytes, from)
      case 'body':
      case 'chunk':
        return this.#readCounted(bytes, from)
      case 'rest':
        this.#taker.onBody(bytes.subarray(from), false)
        return bytes.length
      case 'size':
        return this.#readSize(bytes, from)
      case 'chunk-end':
        if (bytes.length - from < lineEnd.length) return from
        if (bytes.indexOf(lineEnd, from) !== from) return 'a chunk that does not end'
        this.#at = 'size'
        return from + lineEnd.length
      case 'trailers':
        return this.#readTrailer(bytes, from)
      case 'over':
        return 'more than was asked for'
    }
  }

  #readHead(bytes: Buffer, from: number): number | string {
    const end = bytes.indexOf(headEnd, from)
    if (this.#isTooMuch(bytes, from, end)) return 'a head that is too large'
    if (end === -1) return from
    const head = this.#readReplyHead(bytes.toString('latin1', from, end))
    // To go on, or to go on with another protocol, is for whoever asked for it.
    if (head === null || head.status <= 101) return 'no HTTP response'
    // Another 1xx: the response itself comes after it.
    if (head.status >= 200) this.#begin(head)
    return end + headEnd.length
  }

  #begin(head: ReplyHead): void {
    this.#idleMs = head.idleMs
    this.#lineBytes = 0
    this.#taker.onHead(head)
    if (head.body === 'chunked') this.#at = 'size'
    else if (head.body === 'rest') this.#at = 'rest'
    else if (head.body === 0) this.#finish(nothing)
    else {
      this.#at = 'body'
      this.#bytesLeft = head.body
    }
  }

  #readCounted(bytes: Buffer, from: number): number {
    const end = Math.min(from + this.#bytesLeft, bytes.length)
    const part = bytes.subarray(from, end)
    this.#bytesLeft -= part.length
    if (this.#at === 'body' && this.#bytesLeft === 0) {
      this.#finish(part)
      return end
    }
    if (this.#bytesLeft === 0) this.#at = 'chunk-end'
    this.#taker.onBody(part, false)
    return end
  }

  #readSize(bytes: Buffer, from: number): number | string {
    const end = bytes.indexOf(lineEnd, from)
    if ((end === -1 ? bytes.length : end) - from > chunkLineMax) return 'a chunk without a size'
    if (end === -1) return from
    const [, digits] = chunkSize.exec(bytes.toString('latin1', from, end)) ?? []
    if (digits === undefined) return 'a chunk without a size'
    this.#bytesLeft = Number.parseInt(digits, 16)
    this.#at = this.#bytesLeft === 0 ? 'trailers' : 'chunk'
    return end + lineEnd.length
  }

  /** What trailers say is not used. */
  #readTrailer(bytes: Buffer, from: number): number | string {
    const end = bytes.indexOf(lineEnd, from)
    if (this.#isTooMuch(bytes, from, end)) return 'trailers that are too large'
    if (end === from) this.#finish(nothing)
    return end === -1 ? from : end + lineEnd.length
  }

  /** Counts what was read of it. */
  #isTooMuch(bytes: Buffer, from: number, end: number): boolean {
    const length = (end === -1 ? bytes.length : end) - from
    if (end !== -1) this.#lineBytes += length
    return (end === -1 ? this.#lineBytes + length : this.#lineBytes) > this.#headBytesMax
  }

  #finish(last: Buffer): void {
    this.#at = 'over'
    this.#taker.onBody(last, true)
  }
}
