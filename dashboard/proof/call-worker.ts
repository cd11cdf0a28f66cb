// Entry of the worker that verifies bundles of calls: it contains the EVM, receives one job, and the page terminates it.
// Tested by test/browser/call-proof.test.ts
import type { CallJob, WorkerMessage } from './call-job.ts'
import { runCall } from './run-call.ts'

function report(message: WorkerMessage): void {
  self.postMessage(message)
}

async function run(job: CallJob): Promise<void> {
  try {
    report({ kind: 'done', outcome: await runCall(job) })
  } catch (thrown) {
    report({ kind: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}

self.addEventListener('message', ({ data }: MessageEvent<CallJob>) => {
  report({ kind: 'running' })
  void run(data)
})
