// Sends load from a separate thread, so that other work of the benchmark does not delay a call.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Outcome, Plan } from './plan.ts'

export type Loader = {
  /** Runs one plan at a time. */
  run(plan: Plan): Promise<Outcome>
  close(): Promise<void>
}

export function startLoader(): Loader {
  const worker = new Worker(new URL('./load-thread.ts', import.meta.url))
  return {
    async run(plan) {
      worker.postMessage(plan)
      const [answer] = (await once(worker, 'message')) as [{ outcome?: Outcome; error?: string }]
      if (answer.outcome === undefined) throw new Error(answer.error ?? 'the load thread failed')
      return answer.outcome
    },
    async close() {
      await worker.terminate()
    },
  }
}
