// Verifies the bundle of a call in a worker, so that the page stays responsive, and terminates the worker.
// Tested by test/browser/call-proof.test.ts
import type { CallJob, CallOutcome, WorkerMessage } from './call-job.ts'

/** A call may run for 5 s; on a slow connection, loading the EVM takes longer. */
const timeMaxMs = 60_000

/** Rejects if `signal` aborts, after a minute, and if the worker cannot be loaded. `onRunning`: all code is loaded. */
export async function checkCall(
  job: CallJob,
  { onRunning, signal }: { onRunning(): void; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('call-worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<CallOutcome>()
  const timer = setTimeout(
    () => reject(new Error(`the check took longer than ${timeMaxMs / 1000} seconds`)),
    timeMaxMs,
  )
  const abort = (): void => reject(new Error('the check was stopped'))
  signal.addEventListener('abort', abort)
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.kind === 'running') onRunning()
    else if (data.kind === 'done') resolve(data.outcome)
    else reject(new Error(`the check failed: ${data.why}`))
  })
  worker.addEventListener('error', () => {
    reject(new Error('the EVM could not be loaded: check that the server is running'))
  })
  worker.postMessage(job)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    worker.terminate()
  }
}
