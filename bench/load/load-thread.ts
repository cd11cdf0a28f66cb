// The thread that makes load: takes plans, answers with outcomes, one after the other.
import { parentPort } from 'node:worker_threads'
import type { Plan } from './plan.ts'
import { sendPlan } from './send.ts'

parentPort?.on('message', (plan: Plan) => {
  void sendPlan(plan).then(
    (outcome) => parentPort?.postMessage({ outcome }),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }),
  )
})
