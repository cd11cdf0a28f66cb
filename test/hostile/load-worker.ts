// One client of load-callers.ts in its own thread, so that its work does not delay the timers of the others.
import { parentPort, workerData } from 'node:worker_threads'
import { callAtPace, type Pace } from './load-callers.ts'

const { url, body, pace } = workerData as { url: string; body: string; pace: Pace }
parentPort?.postMessage(await callAtPace(url, body, pace))
