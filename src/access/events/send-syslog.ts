// Sends events to a syslog server (RFC 5424): one datagram each over UDP (RFC 5426), octet counting over TCP (RFC 6587 3.4.1).
// Syslog has no acknowledgement: an event counts as sent when the operating system has accepted its bytes.
// Tested by test/admin/events.test.ts
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import type { EventDocument } from './event-document.ts'

export type SyslogSender = {
  send(event: EventDocument): Promise<void>
  stop(): void
}

/** Facility 10 (`authpriv`), severity 5 (notice) or 4 (warning). */
const priorities = { audit: 10 * 8 + 5, sign_in_refused: 10 * 8 + 4 } as const
const silenceMs = 10_000
const silent = 'the syslog server takes no bytes'
/** The usual limit of a receiver; a longer event is sent without its changes. */
const messageBytesMax = 8_192

/** `url`: `udp://host:port` or `tcp://host:port`. */
export function createSyslogSender(url: string): SyslogSender {
  const { protocol, hostname: bracketed, port } = new URL(url)
  const endpoint = { host: bracketed.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
  return protocol === 'udp:' ? overUdp(endpoint) : overTcp(endpoint)
}

type Endpoint = { readonly host: string; readonly port: number }

function overUdp({ host, port }: Endpoint): SyslogSender {
  return {
    async send(event) {
      const { address, family } = await lookup(host)
      const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('error', reject)
          socket.send(messageOf(event), port, address, (error) =>
            error === null ? resolve() : reject(error),
          )
        })
      } finally {
        socket.close()
      }
    },
    stop: () => {},
  }
}

function overTcp(endpoint: Endpoint): SyslogSender {
  let open: Socket | null = null

  function connected(): Promise<Socket> {
    if (open?.writable === true) return Promise.resolve(open)
    return new Promise((resolve, reject) => {
      const socket = connect(endpoint)
      socket.unref()
      socket.setTimeout(silenceMs, () => socket.destroy(new Error(silent)))
      socket.on('error', reject)
      socket.once('connect', () => {
        socket.setTimeout(0)
        // Discard bytes from the server, so that they do not fill the connection.
        socket.resume()
        open = socket
        resolve(socket)
      })
    })
  }

  return {
    async send(event) {
      const socket = await connected()
      const message = messageOf(event)
      const frame = Buffer.concat([Buffer.from(`${message.length} `), message])
      socket.setTimeout(silenceMs)
      await new Promise<void>((resolve, reject) => {
        const closed = (): void => reject(new Error('the syslog server closed the connection'))
        socket.once('close', closed)
        socket.write(frame, (error) => {
          socket.off('close', closed)
          socket.setTimeout(0)
          if (error) reject(error)
          else resolve()
        })
      })
    },
    stop: () => open?.destroy(),
  }
}

function messageOf(event: EventDocument): Buffer {
  const head = `<${priorities[event.type]}>1 ${event.time} ${hostname()} cairn ${process.pid} ${event.type} - `
  const full = Buffer.from(head + JSON.stringify(event))
  if (full.length <= messageBytesMax || event.type !== 'audit') return full
  return Buffer.from(head + JSON.stringify({ ...event, changes: { cut: true } }))
}
