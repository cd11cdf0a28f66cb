// Binds a server to an address, a listening socket that the parent process passed, or a Unix domain socket.
// Tested by src/http/server.test.ts
import type { Server as NodeServer } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { isLoopback } from '../base/addresses.ts'
import { describeErrno } from '../base/describe-errno.ts'

export type ListenAddress = {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Descriptor of a listening socket that the parent process passed; null or absent: a new socket. */
  readonly descriptor?: number | null
  /** A Unix domain socket instead, for processes of the same user. */
  readonly path?: string
}

/** Resolves with the bound port, 0 for a Unix socket. Rejects with a sentence for the operator. */
export function listen(node: NodeServer, where: ListenAddress, backlog: number): Promise<number> {
  const { host, port, descriptor = null, path } = where
  return new Promise((resolve, reject) => {
    function failed(error: NodeJS.ErrnoException): void {
      const sentence =
        descriptor === null
          ? listenSentence(error, where)
          : `cannot listen on the passed socket (descriptor ${descriptor}): ${describeErrno(error)}`
      reject(new Error(sentence, { cause: error }))
    }
    node.once('error', failed)
    const tcp = descriptor === null ? { host, port } : { fd: descriptor }
    const place = path === undefined ? tcp : { path }
    node.listen({ ...place, backlog }, () => {
      node.removeListener('error', failed)
      if (path !== undefined) return resolve(0)
      const bound = node.address() as AddressInfo
      if (descriptor === null || isAt(bound, where)) {
        resolve(bound.port)
        return
      }
      NetServer.prototype.close.call(node)
      const settings = `expected the address of the settings, ${host}:${port}`
      reject(new Error(`the passed socket listens on ${bound.address}:${bound.port}, ${settings}`))
    })
  })
}

/** The settings decide who can reach a listener, so a socket with another address is refused. */
function isAt({ address, port }: AddressInfo, where: ListenAddress): boolean {
  const isHost = where.host === 'localhost' ? isLoopback(address) : where.host === address
  return isHost && (where.port === 0 || where.port === port)
}

function listenSentence(error: NodeJS.ErrnoException, where: ListenAddress): string {
  const place = `${where.host}:${where.port}`
  if (error.code === 'EADDRINUSE') {
    return `cannot listen on ${place}: another program uses this port, stop it or choose another port`
  }
  if (error.code === 'EACCES') return `cannot listen on ${place}: no permission for this port`
  if (error.code === 'EADDRNOTAVAIL')
    return `cannot listen on ${place}: not an address of this machine`
  return `cannot listen on ${place}: ${describeErrno(error)}`
}
