// Entry of the writer thread, which owns the write connection. Writes that arrive during a transaction share the next one, which
// starts when the previous one returns, without a timer.
// Tested by src/db/thread-writer.test.ts
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Outcome } from './apply.ts'
import { migrate } from './migrate.ts'
import type { WriteReply, WriteRequest } from './port-writer.ts'
import { openDatabase } from './sqlite.ts'
import { packOutcomes, packedBytes, unpackWrite } from './packed-writes.ts'
import { createWriteGroup } from './write-group.ts'

export type ThreadOptions = { readonly path: string; readonly bytesMax?: number }
export type ThreadOrder =
  | { readonly kind: 'serve'; readonly port: MessagePort }
  | ({ readonly kind: 'attach' } & Omit<AttachedModule, 'transfer'>)
  | { readonly kind: 'close' }
/** `entry`: URL of a module that exports `serve`, which is called with `data`. */
export type AttachedModule = {
  readonly entry: string
  readonly data: unknown
  readonly transfer: readonly MessagePort[]
}
export type ThreadNews = { readonly kind: 'ready' }

/** One write: number `index` of a request that still has `left` writes to run. */
type Queued = { readonly request: Arrived; readonly index: number; readonly bytes: number }
type Arrived = WriteRequest & { readonly port: MessagePort; left: number }

const groupBytesMax = 16 * 1024 * 1024
const groupWritesMax = 4096

function serve(options: ThreadOptions, parent: NonNullable<typeof parentPort>): void {
  const { path, bytesMax } = options
  const db = openDatabase(path, bytesMax === undefined ? {} : { bytesMax })
  migrate(db)
  const writeGroup = createWriteGroup(db)
  const ports = new Set<MessagePort>()
  let queue: Queued[] = []
  let scheduled = false
  let closing = false

  function runGroup(): void {
    scheduled = false
    const group = queue.slice(0, groupLength(queue))
    queue = queue.slice(group.length)
    if (group.length > 0) {
      answer(group, writeGroup(group.map(({ request, index }) => unpackWrite(request, index))))
    }
    if (queue.length > 0) schedule()
    else if (closing) finish()
  }

  /** Sends one message to each waiting port. */
  function answer(group: readonly Queued[], outcomes: readonly Outcome[]): void {
    const replies = new Map<MessagePort, { ids: number[]; outcomes: Outcome[] }>()
    for (const [at, { request, index }] of group.entries()) {
      const outcome = outcomes[at] ?? { ok: false, error: new Error('no outcome') }
      const reply = replies.get(request.port) ?? { ids: [], outcomes: [] }
      replies.set(request.port, reply)
      reply.ids.push(request.ids[index] ?? 0)
      reply.outcomes.push(outcome)
      request.left -= 1
      // Releases the buffer now: this thread allocates so little that its garbage collector would free it much later.
      if (request.left === 0) request.bytes.buffer.transfer(0)
    }
    for (const [port, { ids, outcomes: its }] of replies) {
      const reply: WriteReply = packOutcomes(ids, its)
      port.postMessage(reply, [reply.done.buffer])
    }
  }

  // Waits one turn of the event loop, so that every port delivers its messages before the group starts.
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(runGroup)
  }

  function finish(): void {
    db.close()
    for (const port of ports) port.close()
    parent.close()
  }

  parent.on('message', (order: ThreadOrder) => {
    if (order.kind === 'close') {
      closing = true
      schedule()
      return
    }
    if (order.kind === 'attach') {
      void host(order.entry, order.data)
      return
    }
    const { port } = order
    ports.add(port)
    port.on('message', (request: WriteRequest) => {
      const arrived: Arrived = { ...request, port, left: request.ids.length }
      for (const index of request.ids.keys()) {
        queue.push({ request: arrived, index, bytes: packedBytes(request, index) })
      }
      schedule()
    })
    port.on('close', () => ports.delete(port))
  })
  parent.postMessage({ kind: 'ready' } satisfies ThreadNews)
}

/** Errors of the attached module do not affect writes. */
async function host(entry: string, data: unknown): Promise<void> {
  try {
    const module = (await import(entry)) as { serve(data: unknown): Promise<void> }
    await module.serve(data)
  } catch {
    // The thread that attached it continues without it.
  }
}

function groupLength(queue: readonly Queued[]): number {
  let bytes = 0
  let length = 0
  for (const one of queue) {
    bytes += one.bytes
    if (length > 0 && (bytes > groupBytesMax || length >= groupWritesMax)) break
    length++
  }
  return length
}

if (parentPort === null) throw new Error('writer-thread.ts runs as a worker thread only')
serve(workerData as ThreadOptions, parentPort)
