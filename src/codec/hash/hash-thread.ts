// Thread side of hash-worker.ts, run in a thread with its own event loop: hashes listed jobs in place, and yields to that
// thread's loop between them.
// Tested by src/codec/hash/parallel-verify.test.ts
import { setImmediate } from 'node:timers/promises'
import { receiveMessageOnPort } from 'node:worker_threads'
import { digestOf, jobAt, jobState, jobWord, word, type HashJobs } from './hash-jobs.ts'
import { hashPiece } from '../ipld/leaf-frame.ts'

/** Jobs before a yield: the thread's own work waits at most half a millisecond. */
const turnJobs = 4

/** Never returns; does not keep the thread or the process alive. */
export async function serve({ words, port }: HashJobs): Promise<void> {
  const memories: Uint8Array[] = []

  function pieceOf(job: number): Uint8Array {
    const index = words[job + jobWord.memory] ?? 0
    while (memories.length <= index) {
      const arrived = receiveMessageOnPort(port) as { message: SharedArrayBuffer } | undefined
      if (arrived === undefined) throw new Error('unknown shared memory')
      memories.push(new Uint8Array(arrived.message))
    }
    const at = (words[job + jobWord.at] ?? 0) >>> 0
    const piece = memories[index]?.subarray(at, at + (words[job + jobWord.bytes] ?? 0))
    return piece ?? new Uint8Array(0)
  }

  function work(job: number): void {
    const state = job + jobWord.state
    const before = Atomics.compareExchange(words, state, jobState.listed, jobState.begun)
    // The listing thread has hashed it in the meantime.
    if (before !== jobState.listed) return
    try {
      digestOf(words, job).set(hashPiece(pieceOf(job), words[job + jobWord.leaf] === 1))
      Atomics.store(words, state, jobState.done)
    } catch {
      Atomics.store(words, state, jobState.failed)
    }
    Atomics.notify(words, state)
  }

  Atomics.store(words, word.ready, 1)
  for (let taken = 0, turn = 0; ; turn += 1) {
    while (Atomics.load(words, word.listed) === taken) {
      const { value } = Atomics.waitAsync(words, word.listed, taken)
      turn = 0
      await value
    }
    if (turn > 0 && turn % turnJobs === 0) await setImmediate()
    work(jobAt(taken))
    taken = (taken + 1) | 0
  }
}
