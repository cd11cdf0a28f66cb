// Checks the database in a thread of its own, so that requests do not wait for it.
// Tested by src/db/integrity.test.ts, test/database-check.test.ts
import { Worker } from 'node:worker_threads'
import type { Damage } from './integrity.ts'
import type { IntegrityNews, IntegrityOrder } from './integrity-thread.ts'

/** Rejects when the database cannot be opened, the thread fails, or the signal aborts. Does not keep the process alive. */
export function checkInThread(
  order: IntegrityOrder,
  signal: AbortSignal,
): Promise<readonly Damage[]> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  // tsc does not rewrite this name: the built program runs .js, a checkout runs .ts.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./integrity-thread${extension}`, import.meta.url), {
    workerData: order,
    execArgv: [],
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<readonly Damage[]>()
  const leave = (): void => {
    reject(signal.reason as Error)
    worker.terminate().catch(() => undefined)
  }
  signal.addEventListener('abort', leave, { once: true })
  worker.once('message', ({ damages }: IntegrityNews) => resolve(damages))
  worker.once('error', reject)
  worker.once('exit', () => {
    signal.removeEventListener('abort', leave)
    reject(new Error('the check ended without a result'))
  })
  return promise
}
