// Replies that end only when their client leaves: a stop of the server ends them at once, so that it does not wait until its deadline.
// Tested by src/kubo/ipfs-api.test.ts, src/admin/http/admin-handler.test.ts
import type { Socket } from 'node:net'

export type EndlessReplies = {
  /** Calls `end` when the connection is to be closed, immediately if it is already. Returns a function that removes it. */
  add(socket: Socket, end: () => void): () => void
  /** Ends the replies over `of`; absent: over all connections. */
  end(of?: ReadonlySet<Socket>): void
}

/** `isDraining`: the connection closes after its current reply. */
export function createEndlessReplies(isDraining: (socket: Socket) => boolean): EndlessReplies {
  const replies = new Map<() => void, Socket>()
  return {
    add(socket, end) {
      if (isDraining(socket)) end()
      else replies.set(end, socket)
      return () => void replies.delete(end)
    },
    end(of) {
      for (const [end, socket] of replies) {
        if (of !== undefined && !of.has(socket)) continue
        replies.delete(end)
        end()
      }
    },
  }
}
