// A thread for the worker side of hash-worker.ts. In a server, it runs in the writer thread.
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  createHashWorker,
  type HashWorker,
  type HashWorkerThread,
  type Hashing,
} from '../../../src/codec/hash/hash-worker.ts'

const host = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', () => {})
  import(workerData.entry).then((guest) => guest.serve(workerData.data))
`

/** Starts a thread only for hashing that does not keep the process alive. */
export function hostGuest({ entry, data, transfer }: HashWorkerThread): Worker {
  const worker = new Worker(host, {
    eval: true,
    workerData: { entry, data },
    transferList: [...transfer],
    execArgv: [],
  })
  worker.unref()
  return worker
}

/** The thread starts with the first large chunk. */
export const createHostedHash = (): HashWorker => createHashWorker((guest) => void hostGuest(guest))

/** Begins a hash after the thread has started. */
export async function begun(
  hashWorker: HashWorker,
  data: Uint8Array,
  leaf: boolean,
): Promise<Hashing> {
  for (;;) {
    const hashing = hashWorker(data, leaf)
    if (hashing !== null) return hashing
    await setImmediate()
  }
}
