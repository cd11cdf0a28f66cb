// The load thread: runs plans one after the other and returns their outcomes.
import { parentPort } from 'node:worker_threads'
import type { Plan } from './plan.ts'
import { sendPlan } from './send.ts'

parentPort?.on('message', (plan: Plan) => {
  void sendPlan(plan).then(
    (outcome) => parentPort?.postMessage({ outcome }),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }),
  )
})
