// A thread for the other side of hash-beside.ts alone: a server has it beside its writer.
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  createHashBeside,
  type HashBeside,
  type HashGuest,
  type Hashing,
} from '../../src/codec/hash-beside.ts'

const host = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', () => {})
  import(workerData.entry).then((guest) => guest.serve(workerData.data))
`

/** A thread that does nothing else, and does not keep the process alive. */
export function hostGuest({ entry, data, transfer }: HashGuest): Worker {
  const worker = new Worker(host, {
    eval: true,
    workerData: { entry, data },
    transferList: [...transfer],
    execArgv: [],
  })
  worker.unref()
  return worker
}

/** Its thread starts at the first large piece. */
export const createHostedHash = (): HashBeside => createHashBeside((guest) => void hostGuest(guest))

/** Begins once the thread is there. */
export async function begun(
  hashBeside: HashBeside,
  data: Uint8Array,
  leaf: boolean,
): Promise<Hashing> {
  for (;;) {
    const hashing = hashBeside(data, leaf)
    if (hashing !== null) return hashing
    await setImmediate()
  }
}
