// Entry of the writer thread: it owns the write connection. Everything that arrived while a transaction
// ran shares the next one; the next group starts when the last returns, no timer.
// Tested by src/db/thread-writer.test.ts
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { migrate } from './migrate.ts'
import type { WriteReply, WriteRequest } from './port-writer.ts'
import { openDatabase } from './sqlite.ts'
import { packOutcome, unpackWrite } from './wire.ts'
import { createWriteGroup } from './write-group.ts'

export type ThreadOptions = { readonly path: string; readonly bytesMax?: number }
export type ThreadOrder =
  | { readonly kind: 'serve'; readonly port: MessagePort }
  | { readonly kind: 'close' }
export type ThreadNews = { readonly kind: 'ready' }

type Queued = { readonly port: MessagePort; readonly request: WriteRequest }

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
      const outcomes = writeGroup(group.map(({ request }) => unpackWrite(request)))
      for (const [index, { port, request }] of group.entries()) {
        const outcome = outcomes[index] ?? { ok: false, error: new Error('no outcome') }
        // Given up now: this thread allocates so little that its collector would leave them lying for long.
        request.blobs.buffer.transfer(0)
        port.postMessage({ id: request.id, outcome: packOutcome(outcome) } satisfies WriteReply)
      }
    }
    if (queue.length > 0) schedule()
    else if (closing) finish()
  }

  // One turn of the loop lets every port hand over what has arrived before the group starts.
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
    const { port } = order
    ports.add(port)
    port.on('message', (request: WriteRequest) => {
      queue.push({ port, request })
      schedule()
    })
    port.on('close', () => ports.delete(port))
  })
  parent.postMessage({ kind: 'ready' } satisfies ThreadNews)
}

function groupLength(queue: readonly Queued[]): number {
  let bytes = 0
  let length = 0
  for (const { request } of queue) {
    bytes += request.blobs.length
    if (length > 0 && (bytes > groupBytesMax || length >= groupWritesMax)) break
    length++
  }
  return length
}

if (parentPort === null) throw new Error('writer-thread.ts runs as a worker thread only')
serve(workerData as ThreadOptions, parentPort)
