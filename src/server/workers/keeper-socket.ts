// The keeper's end of the links: answers the calls of workers.
// Tested by src/server/workers/keeper-link.test.ts
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { Log } from '../../base/log.ts'
import { createFrameReader, writeFrame } from './frames.ts'
import { type CallReply, type CallRequest, type Calls, sendError } from './keeper-calls.ts'

export type KeeperSocket = {
  /** Ends the links. Running calls go on; their replies are lost, and the workers ask again. */
  close(): Promise<void>
}

/** Listens at `path`, in place of the socket that a killed keeper left there. */
export async function openKeeperSocket(parts: {
  readonly path: string
  readonly calls: Calls
  readonly log: Log
}): Promise<KeeperSocket> {
  const { path, calls, log } = parts
  const links = new Set<Socket>()

  async function answer({ id, name, argument }: CallRequest): Promise<CallReply> {
    try {
      const call = calls[name]
      if (call === undefined) throw new Error(`no call ${name}`)
      return { id, value: await call(argument as never) }
    } catch (thrown) {
      return { id, error: sendError(thrown) }
    }
  }

  function serve(link: Socket): void {
    links.add(link)
    const read = createFrameReader((message) => {
      void answer(message as CallRequest).then((reply) => {
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
