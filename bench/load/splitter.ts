// Splits received bytes into HTTP/1.1 replies with Content-Length. One reply is in flight at a time.

export type Reply = { readonly status: number; readonly body: string }

/** Texts are latin1: one character per byte. */
export class Splitter {
  #held = ''
  #parts: string[] = []
  #missing = 0

  /** The reply that `chunk` completes, or null if it is incomplete. Throws on a reply without Content-Length. */
  push(chunk: Buffer): Reply | null {
    const text = chunk.toString('latin1')
    if (this.#missing > text.length) {
      this.#parts.push(text)
      this.#missing -= text.length
      return null
    }
    this.#held = this.#parts.length === 0 ? this.#held + text : this.#take(text)
    this.#missing = 0
    return this.#split()
  }

  #take(last: string): string {
    const complete = this.#parts.join('') + last
    this.#parts = []
    return complete
  }

  #split(): Reply | null {
    const buffered = this.#held
    const end = buffered.indexOf('\r\n\r\n')
    if (end === -1) return null
    const length = /\r\ncontent-length: *(\d+)/i.exec(buffered.slice(0, end + 2))?.[1]
    if (length === undefined)
      throw new Error(`a reply without Content-Length: ${buffered.slice(0, end)}`)
    const replyLength = end + 4 + Number(length)
    if (buffered.length < replyLength) {
      this.#parts = [buffered]
      this.#missing = replyLength - buffered.length
      this.#held = ''
      return null
    }
    this.#held = buffered.slice(replyLength)
    return { status: Number(buffered.slice(9, 12)), body: buffered.slice(end + 4, replyLength) }
  }
}
