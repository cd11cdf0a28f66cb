// One caller of load-callers.ts in a thread of its own, so that its work does not slow the others' clocks.
import { parentPort, workerData } from 'node:worker_threads'
import { callAtPace, type Pace } from './load-callers.ts'

const { url, body, pace } = workerData as { url: string; body: string; pace: Pace }
parentPort?.postMessage(await callAtPace(url, body, pace))
