// Block requests from peers: public blocks are checked against the deny rules in small groups, one group at a time, and then read
// as the credit of the network process allows. So peers use a bounded part of the request thread and of memory.
import type { SendCredit } from './net-credit.ts'
import type { ToNet } from './net-frames.ts'
import type { PeerBlocks } from './peer-blocks.ts'
import type { RequestCounts } from './thread-messages.ts'

type BlockRequest = {
  readonly id: number
  readonly sizeOnly: boolean
  readonly multihash: Uint8Array
}

export type BlockRequestQueue = {
  add(request: BlockRequest): void
  /** The result of the last `check`. */
  onChecked(allowed: readonly boolean[]): void
  readonly counts: RequestCounts
}

/** Requests that wait for the check or for credit; further ones are answered as if the block were absent. */
const defaultQueuedMax = 4096
/** Blocks of one check. */
const groupMax = 64

export function createBlockRequestQueue(parts: {
  readonly blocks: Pick<PeerBlocks, 'isPublic' | 'sizeOf' | 'read'>
  readonly credit: SendCredit
  readonly check: (multihashes: readonly Uint8Array[]) => void
  readonly send: (frame: ToNet) => void
  /** Default of a server. */
  readonly queuedMax?: number
}): BlockRequestQueue {
  const { blocks, credit, check, send } = parts
  const queuedMax = parts.queuedMax ?? defaultQueuedMax
  const unchecked: BlockRequest[] = []
  let checking: readonly BlockRequest[] = []
  const counts = { received: 0, served: 0, servedBytes: 0, refused: 0 }

  function checkNext(): void {
    if (checking.length > 0 || unchecked.length === 0) return
    checking = unchecked.splice(0, groupMax)
    check(checking.map(({ multihash }) => multihash))
  }

  function serve({ id, multihash }: BlockRequest, size: number): void {
    credit.spend(size, () => {
      const bytes = blocks.read(multihash)
      if (bytes !== null && bytes.length === size) {
        counts.served += 1
        counts.servedBytes += size
        send({ kind: 'here', id, bytes })
        return
      }
      // Deferred, so that a grant does not run inside another one.
      queueMicrotask(() => credit.grant(size))
      send({ kind: 'notHere', id })
    })
  }

  return {
    add(request) {
      counts.received += 1
      const isFull = unchecked.length + checking.length + credit.waiting >= queuedMax
      if (isFull) counts.refused += 1
      if (isFull || !blocks.isPublic(request.multihash))
        return send({ kind: 'notHere', id: request.id })
      unchecked.push(request)
      checkNext()
    },
    onChecked(allowed) {
      const requests = checking
      checking = []
      for (const [at, request] of requests.entries()) {
        const size = allowed[at] === true ? blocks.sizeOf(request.multihash) : null
        if (size === null) send({ kind: 'notHere', id: request.id })
        else if (request.sizeOnly) send({ kind: 'size', id: request.id, bytes: size })
        else serve(request, size)
      }
      checkNext()
    },
    counts,
  }
}
