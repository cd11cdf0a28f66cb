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
    const whole = this.#parts.join('') + last
    this.#parts = []
    return whole
  }

  #split(): Reply | null {
    const held = this.#held
    const end = held.indexOf('\r\n\r\n')
    if (end === -1) return null
    const length = /\r\ncontent-length: *(\d+)/i.exec(held.slice(0, end + 2))?.[1]
    if (length === undefined)
      throw new Error(`a reply without Content-Length: ${held.slice(0, end)}`)
    const whole = end + 4 + Number(length)
    if (held.length < whole) {
      this.#parts = [held]
      this.#missing = whole - held.length
      this.#held = ''
      return null
    }
    this.#held = held.slice(whole)
    return { status: Number(held.slice(9, 12)), body: held.slice(end + 4, whole) }
  }
}
