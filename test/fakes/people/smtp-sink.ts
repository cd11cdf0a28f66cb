// A mail server on loopback that accepts and stores every message (RFC 5321).
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type SmtpSink = {
  readonly url: string
  /** Each mail as received, head and body. */
  readonly mails: readonly string[]
  /** Resolves when this many have arrived. */
  arrived(count: number): Promise<void>
}

export async function startSmtpSink(t: TestContext): Promise<SmtpSink> {
  const mails: string[] = []
  const waiting: (() => void)[] = []
  const server = createServer((socket) => {
    let text = ''
    let inData = false
    socket.on('error', () => {})
    socket.write('220 sink\r\n')
    socket.on('data', (chunk) => {
      text += chunk.toString()
      for (;;) {
        const end = inData ? text.indexOf('\r\n.\r\n') : text.indexOf('\r\n')
        if (end < 0) return
        const piece = text.slice(0, end)
        text = text.slice(end + (inData ? 5 : 2))
        if (inData) {
          inData = false
          mails.push(piece)
          for (const notify of waiting) notify()
          socket.write('250 taken\r\n')
        } else if (/^DATA/i.test(piece)) {
          inData = true
          socket.write('354 go on\r\n')
        } else if (/^QUIT/i.test(piece)) socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    arrived: (count) =>
      new Promise((resolve) => {
        const notify = (): void => {
          if (mails.length >= count) resolve()
        }
        waiting.push(notify)
        notify()
      }),
  }
}
