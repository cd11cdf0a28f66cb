// Sends bytes over one connection and parses the HTTP replies strictly: each must be complete, without bytes between or after them.
// after them.
import { connect } from 'node:net'

export type Reply = {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** A connection that is still open after this time is a failure of the server. */
const patienceMs = 15_000

/**
 * Sends `bytes` in one write, and with `hangUp` closes the sending side directly afterwards. Resolves with everything received
 * (latin1) once the server has closed.
 */
export function exchangeBytes(
  port: number,
  bytes: string | Uint8Array,
  hangUp = false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.setTimeout(patienceMs, () => {
      socket.destroy()
      reject(new Error(`neither answered nor closed; received ${JSON.stringify(received)}`))
    })
    socket.on('data', (text) => (received += String(text)))
    // A server may also close with a reset after the reply.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    if (hangUp) socket.end()
  })
}

/**
 * Parses the replies in `received`, without interim ones (1xx). `heads`: indexes of replies to HEAD. Throws for anything other than
 * a sequence of complete replies.
 */
export function parseReplies(received: string, heads: readonly number[] = []): readonly Reply[] {
  const replies: Reply[] = []
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(rest)?.[1] ?? Number.NaN)
    if (end < 0 || Number.isNaN(status)) throw new Error(`not an answer: ${JSON.stringify(rest)}`)
    const head = rest.slice(0, end + 2)
    rest = rest.slice(end + 4)
    if (status < 200) continue
    const bodiless = status === 204 || status === 304 || heads.includes(replies.length)
    const body = bodiless ? { text: '', length: 0 } : takeBody(head, rest)
    rest = rest.slice(body.length)
    replies.push({ status, head, body: body.text })
  }
  return replies
}

function takeBody(head: string, rest: string): { readonly text: string; readonly length: number } {
  const declared = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1]
  if (declared !== undefined) {
    const length = Number(declared)
    if (rest.length < length) throw new Error(`an answer of ${length} bytes ends early: ${rest}`)
    return { text: rest.slice(0, length), length }
  }
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(head)) return { text: rest, length: rest.length }
  let text = ''
  for (let at = 0; ;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(rest.slice(at, at + 20))
    if (size === null) throw new Error(`a chunked answer ends early: ${rest}`)
    const bytes = Number.parseInt(size[1] as string, 16)
    at += size[0].length
    if (bytes === 0) {
      const trailersEnd = rest.indexOf('\r\n', at) === at ? at : rest.indexOf('\r\n\r\n', at) + 2
      return { text, length: trailersEnd + 2 }
    }
    text += rest.slice(at, at + bytes)
    at += bytes + 2
  }
}
