// Everything that doctor reads from the machine, in one interface, so that tests can simulate other machines.
// Tested by src/cli/doctor/doctor.test.ts
import { accessSync, constants, readFileSync, statSync, statfsSync } from 'node:fs'
import { connect, createServer, isIP } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { type Clock, systemClock } from '../../base/clock.ts'

type FileFacts = {
  readonly kind: 'folder' | 'file' | 'other'
  /** Permission bits. */
  readonly mode: number
  readonly owner: number
  readonly bytes: number
}

type DiskFacts = {
  readonly type: number
  readonly freeBytes: number
  readonly freeFiles: number | null
}

export type Machine = {
  readonly nodeVersion: string
  /** Effective user ID; null on systems without one. */
  readonly user: number | null
  readonly clock: Pick<Clock, 'now'>
  /** Maximum number of open files of this process; null = unknown on this system. */
  openFilesMax(): number | null
  /** Linux's mode of transparent huge pages: `always`, `madvise` or `never`; null = unknown on this system. */
  hugePages(): string | null
  /** Null: no such file. */
  findFile(path: string): FileFacts | null
  mayWrite(path: string): boolean
  disk(path: string): DiskFacts
  /** Null: listening succeeded; else the error code, such as EADDRINUSE. Closes the socket immediately. */
  tryListen(host: string, port: number): Promise<string | null>
  /** Does a Cairn server respond? `isSecure`: over TLS, with any certificate. */
  isCairn(host: string, port: number, isSecure: boolean): Promise<boolean>
  /** Connects over TLS with a valid certificate. `protocol`: the negotiated one of `h2` and `http/1.1`; '' = none. */
  negotiate(
    host: string,
    port: number,
  ): Promise<{ readonly protocol: string; readonly failure: string | null }>
}

const answerMs = 2000
const answerBytesMax = 4096
const connectMs = 5000

export function thisMachine(): Machine {
  return {
    nodeVersion: process.versions.node,
    user: process.geteuid?.() ?? null,
    clock: systemClock,
    openFilesMax,
    hugePages,
    findFile,
    mayWrite(path) {
      try {
        accessSync(path, constants.W_OK | constants.X_OK)
        return true
      } catch {
        return false
      }
    },
    disk(path) {
      const { type, bavail, bsize, files, ffree } = statfsSync(path)
      return { type, freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree }
    },
    tryListen,
    isCairn,
    negotiate,
  }
}

function openFilesMax(): number | null {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return most === undefined ? null : Number(most)
  } catch {
    return null
  }
}

function hugePages(): string | null {
  try {
    const text = readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8')
    return /\[(\w+)\]/.exec(text)?.[1] ?? null
  } catch {
    return null
  }
}

function findFile(path: string): FileFacts | null {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return null
  const kind = facts.isDirectory() ? 'folder' : facts.isFile() ? 'file' : 'other'
  return { kind, mode: facts.mode & 0o7777, owner: facts.uid, bytes: facts.size }
}

function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

// /livez is the only path of Cairn that needs no key.
function isCairn(host: string, port: number, isSecure: boolean): Promise<boolean> {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return new Promise((resolve) => {
    const socket = isSecure
      ? connectSecurely({ host: near, port, rejectUnauthorized: false })
      : connect({ host: near, port })
    let reply = ''
    socket.setTimeout(answerMs, () => socket.destroy())
    socket.on(isSecure ? 'secureConnect' : 'connect', () =>
      socket.write('GET /livez HTTP/1.1\r\nHost: cairn\r\nConnection: close\r\n\r\n'),
    )
    socket.on('data', (chunk: Buffer) => {
      reply += chunk.toString('latin1')
      if (reply.length > answerBytesMax) socket.destroy()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(reply.includes('{"status":"live"}')))
  })
}

function negotiate(
  host: string,
  port: number,
): Promise<{ readonly protocol: string; readonly failure: string | null }> {
  return new Promise((resolve) => {
    const socket = connectSecurely({
      host,
      port,
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(isIP(host) === 0 && { servername: host }),
    })
    const end = (failure: string | null): void => {
      const protocol = typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : ''
      resolve({ protocol: failure === null ? protocol : '', failure })
      socket.destroy()
    }
    socket.setTimeout(connectMs, () => end(`no answer in ${connectMs / 1000} s`))
    socket.once('error', (error) => end('code' in error ? String(error.code) : 'no answer'))
    socket.once('secureConnect', () => end(null))
  })
}
