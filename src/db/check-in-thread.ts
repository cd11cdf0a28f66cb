// Checks the database, and plans the repair of its pins, in a separate thread, so that requests do not wait for it.
// Tested by src/db/integrity.test.ts, test/faults/database-check.test.ts
import { Worker } from 'node:worker_threads'
import type { Damage } from './integrity.ts'
import type { CheckOrder, RepairOrder } from './integrity-thread.ts'
import type { Statement } from './writer.ts'

/** Rejects if the database cannot be opened, the thread fails, or the signal aborts. Does not keep the process alive. */
export function checkInThread(order: CheckOrder, signal: AbortSignal): Promise<readonly Damage[]> {
  return runInThread(order, signal)
}

/** As `repairPins`. Rejects as `checkInThread` does. */
export function planPinRepairInThread(
  order: RepairOrder,
  signal: AbortSignal,
): Promise<readonly Statement[]> {
  return runInThread(order, signal)
}

function runInThread<News>(order: CheckOrder | RepairOrder, signal: AbortSignal): Promise<News> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./integrity-thread${extension}`, import.meta.url), {
    workerData: order,
    execArgv: [],
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<News>()
  const leave = (): void => {
    reject(signal.reason as Error)
    worker.terminate().catch(() => undefined)
  }
  signal.addEventListener('abort', leave, { once: true })
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => {
    signal.removeEventListener('abort', leave)
    reject(new Error('the check ended without a result'))
  })
  return promise
}
