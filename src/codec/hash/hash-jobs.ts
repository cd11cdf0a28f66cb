// Shared state of hash-worker.ts and hash-thread.ts: 32-bit words that both change by Atomics, and their layout. A job is
// a range of shared memory, hashed by the thread that starts it first.
// Tested by src/codec/hash/parallel-verify.test.ts
import type { MessagePort } from 'node:worker_threads'

/** `port`: shared memory comes by it, numbered in its order, before the first job in it is listed. */
export type HashJobs = { readonly words: Int32Array; readonly port: MessagePort }

/** A power of two, so that the count of jobs may run over. */
const jobsMax = 64
const jobWords = 16
const headWords = 16

/** Not of a job: 1 once the thread polls them, and the number of jobs listed so far. */
export const word = { ready: 0, listed: 1 } as const
/** Of a job, from its first on; `leaf` is 1 for the file bytes of a dag-pb leaf. */
export const jobWord = { state: 0, memory: 1, at: 2, bytes: 3, leaf: 4, digest: 8 } as const
/** `failed`: the thread could not hash it; the listing thread hashes it. */
export const jobState = { free: 0, listed: 1, begun: 2, done: 3, failed: 4 } as const

/** The first word of the `count`th listed job. */
export function jobAt(count: number): number {
  return headWords + (count & (jobsMax - 1)) * jobWords
}

export function createWords(): Int32Array {
  const words = headWords + jobsMax * jobWords
  return new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT))
}

/** The 32 bytes that the thread writes and the other side reads, in place. */
export function digestOf(words: Int32Array, job: number): Uint8Array {
  return new Uint8Array(words.buffer, (job + jobWord.digest) * Int32Array.BYTES_PER_ELEMENT, 32)
}
