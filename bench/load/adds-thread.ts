// Entry of the thread that adds small files at a constant rate until it receives a stop message. A separate thread, so that other
// work and garbage collection of the benchmark do not delay the adds.
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { addParts, type FilesServer, filePart } from './small-adds.ts'

export type AddsOrder = { readonly server: FilesServer; readonly perSecond: number }
/** Duration of each add in milliseconds, from its due time. */
export type AddsAnswer = { readonly took: readonly number[] } | { readonly error: string }

let isGoing = true

async function addAtRate({ server, perSecond }: AddsOrder): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const took: number[] = []
  const all: Promise<void>[] = []
  const begun = performance.now()
  try {
    for (let sent = 0; isGoing; sent++) {
      const due = begun + (sent * 1000) / perSecond
      await wait(Math.max(0, due - performance.now()))
      const body = filePart('f', Buffer.alloc(4096, `${performance.timeOrigin} ${begun} ${sent} `))
      const added = addParts(server, agent, '', [body])
      all.push(added.then(() => void took.push(performance.now() - due)))
    }
    await Promise.all(all)
  } finally {
    agent.destroy()
  }
  return took
}

parentPort?.once('message', () => (isGoing = false))
addAtRate(workerData as AddsOrder).then(
  (took) => parentPort?.postMessage({ took } satisfies AddsAnswer),
  (thrown: unknown) => parentPort?.postMessage({ error: String(thrown) } satisfies AddsAnswer),
)
