// HTTP over a raw socket, for requests that no client library sends.
import { connect, type Socket } from 'node:net'

/** Sends `parts` one after the other and resolves with all received text when the server closes. */
export function sendRaw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (text) => (received += String(text)))
    // A server may also close with a reset after the reply.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    for (const part of parts) socket.write(part)
  })
}

/** An open connection: `until` resolves once the received bytes contain `text`. */
export class RawConnection {
  readonly socket: Socket
  received = ''
  closed = false
  #wake: () => void = () => {}

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text) => {
      this.received += String(text)
      this.#wake()
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.closed = true
      this.#wake()
    })
  }

  async until(text: string): Promise<string> {
    while (!this.received.includes(text) && !this.closed) await this.#change()
    return this.received
  }

  async end(): Promise<string> {
    while (!this.closed) await this.#change()
    return this.received
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
