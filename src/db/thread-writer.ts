// Starts the writer thread. It runs every durable write of requests, so the request thread never waits for a sync; other workers
// reach it through their own ports.
import { once } from 'node:events'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { Fault } from '../base/fault.ts'
import { defaultPortLimits, portWriter, type PortLimits } from './port-writer.ts'
import type { AttachedModule, ThreadNews, ThreadOptions, ThreadOrder } from './writer-thread.ts'
import type { CountedWriter } from './writer.ts'

export type ThreadWriter = CountedWriter & {
  /** A port for another worker, to be transferred: `portWriter(port)` there is a Writer through this thread. */
  connect(): MessagePort
  /** Runs a module on the thread between its writes, because the thread is idle much of the time. */
  attach(module: AttachedModule): void
  /** Number of pending writes of this thread. */
  readonly pending: number
}

/**
 * Opens, creates and migrates the database at `path` in a new thread; resolves when it is ready. If the thread ends unexpectedly,
 * pending and later writes fail with `internal`, and `onDeath` is called once with the reason. Does not keep the process alive,
 * except while a write is pending.
 */
export async function startThreadWriter(
  options: ThreadOptions & {
    readonly limits?: PortLimits
    readonly onDeath?: (cause: unknown) => void
  },
): Promise<ThreadWriter> {
  const { path, bytesMax, limits = defaultPortLimits, onDeath = () => {} } = options
  // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./writer-thread${extension}`, import.meta.url), {
    workerData: { path, ...(bytesMax === undefined ? {} : { bytesMax }) } satisfies ThreadOptions,
    execArgv: [],
  })
  await ready(worker)
  worker.unref()

  let state: 'open' | 'closing' | 'dead' = 'open'
  let cause: unknown = new Error('the writer thread ended')
  worker.on('error', (error) => (cause = error))
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      const died = state === 'open'
      state = 'dead'
      resolve()
      if (died) onDeath(cause)
    })
  })

  function connect(): MessagePort {
    if (state !== 'open') throw new Fault('shutting_down')
    const { port1, port2 } = new MessageChannel()
    worker.postMessage({ kind: 'serve', port: port2 } satisfies ThreadOrder, [port2])
    return port1
  }

  const own = portWriter(connect(), limits)
  return {
    connect,
    attach({ entry, data, transfer }) {
      if (state !== 'open') throw new Fault('shutting_down')
      worker.postMessage({ kind: 'attach', entry, data } satisfies ThreadOrder, transfer)
    },
    get pending() {
      return own.pending
    },
    get accepted() {
      return own.accepted
    },
    write: (statements) => own.write(statements),
    async close() {
      if (state !== 'open') return ended
      await own.close()
      if (state !== 'open') return ended
      state = 'closing'
      worker.ref()
      worker.postMessage({ kind: 'close' } satisfies ThreadOrder)
      return await ended
    },
  }
}

async function ready(worker: Worker): Promise<void> {
  const news: unknown[] = await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(() => {
      throw new Error('the writer thread ended before it was ready')
    }),
  ])
  const [first] = news as [ThreadNews]
  if (first.kind !== 'ready') throw new Error('the writer thread did not start')
}
