// Shared state of hash-worker.ts and hash-thread.ts: the layout of 32-bit words that both change by Atomics. A job is a range of
// shared memory, hashed by the thread that starts it first.
// Tested by src/codec/hash/parallel-verify.test.ts
import type { MessagePort } from 'node:worker_threads'

/** `port`: transfers each shared memory before its first job is listed; memories are numbered in that order. */
export type HashJobs = { readonly words: Int32Array; readonly port: MessagePort }

/** A power of two, so that the job counter may overflow. */
const jobsMax = 64
const jobWords = 16
const headWords = 16

/** Global words: 1 once the thread polls them, and the number of jobs listed so far. */
export const word = { ready: 0, listed: 1 } as const
/** Words of a job, relative to its first; `leaf` is 1 for the file bytes of a dag-pb leaf. */
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

/** View of the 32 bytes into which the thread writes the digest. */
export function digestOf(words: Int32Array, job: number): Uint8Array {
  return new Uint8Array(words.buffer, (job + jobWord.digest) * Int32Array.BYTES_PER_ELEMENT, 32)
}
