// Entry of a thread that makes one backup and ends, so that requests do not wait for it.
// Tested by test/backup/backup-server.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { describeFileError } from '../base/describe-errno.ts'
import { type BackupTask, type TaskResult, runBackup } from './run-backup.ts'

export type BackupNews =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: TaskResult }
  | { readonly kind: 'failed'; readonly reason: string }

const progressMs = 200

async function run(port: NonNullable<typeof parentPort>): Promise<void> {
  const stopping = new AbortController()
  // Any message from the parent ends the backup.
  port.once('message', () => stopping.abort(new Error('the server stops')))
  const post = (news: BackupNews): void => port.postMessage(news)
  let posted = Number.NEGATIVE_INFINITY
  try {
    const result = await runBackup(workerData as BackupTask, {
      clock: systemClock,
      signal: stopping.signal,
      onProgress(done, total) {
        const now = systemClock.monotonic()
        if (now - posted < progressMs) return
        posted = now
        post({ kind: 'progress', done, total })
      },
    })
    post({ kind: 'done', result })
  } catch (error) {
    post({ kind: 'failed', reason: describeFileError(error) })
  } finally {
    port.close()
  }
}

if (parentPort === null) throw new Error('backup-thread.ts runs as a worker thread only')
await run(parentPort)
