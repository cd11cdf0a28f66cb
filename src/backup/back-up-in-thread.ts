// Runs a backup in a separate thread, so that reading, hashing and sending do not delay requests.
// Tested by test/backup/backup-server.test.ts
import { Worker } from 'node:worker_threads'
import type { BackupNews } from './backup-thread.ts'
import type { OnProgress } from './make-backup.ts'
import type { BackupTask, TaskResult } from './run-backup.ts'

/**
 * Rejects with a sentence for the operator. On abort the thread ends between two steps and closes its connections; then the promise
 * rejects. Does not keep the process alive.
 */
export function backUpInThread(
  task: BackupTask,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<TaskResult> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./backup-thread${extension}`, import.meta.url), {
    workerData: task,
    execArgv: [],
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult>()
  let outcome: { readonly result: TaskResult } | { readonly error: unknown } = {
    error: new Error('the backup ended without a result'),
  }
  const leave = (): void => worker.postMessage('stop')
  signal.addEventListener('abort', leave, { once: true })
  worker.on('message', (news: BackupNews) => {
    if (news.kind === 'progress') onProgress(news.done, news.total)
    else if (news.kind === 'done') outcome = { result: news.result }
    else outcome = { error: new Error(news.reason) }
  })
  worker.once('error', (error) => (outcome = { error }))
  worker.once('exit', () => {
    signal.removeEventListener('abort', leave)
    if ('result' in outcome) resolve(outcome.result)
    else reject(outcome.error as Error)
  })
  return promise
}
