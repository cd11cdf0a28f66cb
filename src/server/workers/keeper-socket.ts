// The keeper's end of the links: answers the calls of workers.
// Tested by src/server/workers/keeper-link.test.ts
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { Log } from '../../base/log.ts'
import { createFrameReader, writeFrame } from './frames.ts'
import {
  type Caller,
  type CallReply,
  type CallRequest,
  type Calls,
  type Notice,
  sendError,
} from './keeper-calls.ts'

export type KeeperSocket = {
  /** Closes the links. Running calls continue; their replies are lost, and the workers repeat them. */
  close(): Promise<void>
}

const unreadBytesMax = 8 * 1024 * 1024

/** Listens at `path` and replaces the socket of a killed keeper. */
export async function openKeeperSocket(parts: {
  readonly path: string
  readonly calls: Calls
  readonly log: Log
}): Promise<KeeperSocket> {
  const { path, calls, log } = parts
  const links = new Set<Socket>()

  async function answer({ id, name, argument }: CallRequest, caller: Caller): Promise<CallReply> {
    try {
      const call = calls[name]
      if (call === undefined) throw new Error(`no call ${name}`)
      return { id, value: await call(argument as never, caller) }
    } catch (thrown) {
      return { id, error: sendError(thrown) }
    }
  }

  function serve(link: Socket): void {
    // Each subscription of the worker adds a listener.
    link.setMaxListeners(0)
    links.add(link)
    const caller: Caller = {
      notify(notice) {
        // A worker that does not read its socket loses notices.
        if (link.writableLength <= unreadBytesMax) writeFrame(link, { notice } satisfies Notice)
      },
      onClose: (run) => void link.once('close', run),
    }
    const read = createFrameReader((message) => {
      void answer(message as CallRequest, caller).then((reply) => {
        if (link.writable) writeFrame(link, reply)
      })
    })
    link.on('data', (bytes) => {
      try {
        read(bytes)
      } catch (error) {
        log('error', 'keeper_link_failed', { error })
        link.destroy()
      }
    })
    link.on('error', () => {})
    link.on('close', () => links.delete(link))
  }

  await rm(path, { force: true })
  const server = createServer(serve)
  await once(server.listen(path), 'listening')
  await chmod(path, 0o600)
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const link of links) link.destroy()
      await closed
    },
  }
}
