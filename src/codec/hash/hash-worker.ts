// sha2-256 of large blocks in shared memory, by this thread or another (hash-thread.ts), whichever starts first. So a
// busy thread or processor delays no block, and no byte is copied.
// Tested by src/codec/hash/parallel-verify.test.ts
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import {
  createWords,
  digestOf,
  jobAt,
  jobState,
  jobWord,
  word,
  type HashJobs,
} from './hash-jobs.ts'
import { hashPiece } from '../ipld/leaf-frame.ts'

/** A piece whose hash is being computed. Do not change its bytes before the digest is available. */
export type Hashing = {
  /** Null: not available yet. */
  digest(): Uint8Array | null
  /** Hashes in this thread if the other one has not started; otherwise returns a promise of its result. */
  finish(): Uint8Array | Promise<Uint8Array>
  /** Waits for the other thread. */
  wait(): Promise<Uint8Array>
}

/**
 * Starts to hash `data`, or with `leaf` the dag-pb leaf with these file bytes. Null: the caller must hash it, because it is small,
 * not in shared memory, or too many jobs wait. Call each Hashing until it returns its digest.
 */
export type HashWorker = (data: Uint8Array, leaf: boolean) => Hashing | null

/** A module for another thread that exports `serve`, and the argument of `serve`. */
export type HashWorkerThread = {
  readonly entry: string
  readonly data: HashJobs
  readonly transfer: readonly MessagePort[]
}

const bytesMin = 64 * 1024
/** Maximum jobs that have not started: 2 MiB of a file. */
const listedMax = 8
const memoriesMax = 64

/** `attach`: loads the module in a thread; called at the first large piece. The thread does not keep the process alive. */
export function createHashWorker(attach: (module: HashWorkerThread) => void): HashWorker {
  const words = createWords()
  const memories = new Map<SharedArrayBuffer, number>()
  /** First words of jobs whose digest was not read yet. */
  const open = new Set<number>()
  let port: MessagePort | null = null
  let waits = 0
  let ended = false
  let count = 0

  function begin(): MessagePort {
    // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
    const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
    const { port1, port2 } = new MessageChannel()
    port1.on('close', () => {
      ended = true
      for (const job of open) Atomics.notify(words, job + jobWord.state)
    })
    port1.unref()
    const entry = new URL(`./hash-thread${extension}`, import.meta.url).href
    try {
      attach({ entry, data: { words, port: port2 }, transfer: [port2] })
    } catch {
      // The thread has ended: `ready` is never set, and everything is hashed in this thread.
    }
    return port1
  }

  /** Null: too many shared memories. */
  function numberOf(memory: SharedArrayBuffer, to: MessagePort): number | null {
    const known = memories.get(memory)
    if (known !== undefined) return known
    if (memories.size === memoriesMax) return null
    to.postMessage(memory)
    memories.set(memory, memories.size)
    return memories.size - 1
  }

  function hasRoom(job: number): boolean {
    if (open.has(job)) return false
    let listed = 0
    for (const each of open) {
      if (Atomics.load(words, each + jobWord.state) === jobState.listed) listed += 1
    }
    return listed < listedMax
  }

  function hashingOf(job: number, data: Uint8Array, leaf: boolean): Hashing {
    const state = job + jobWord.state
    let known: Uint8Array | null = null

    function close(digest: Uint8Array): Uint8Array {
      known = digest
      open.delete(job)
      Atomics.store(words, state, jobState.free)
      return digest
    }

    function digest(): Uint8Array | null {
      if (known !== null) return known
      const now = Atomics.load(words, state)
      if (now === jobState.done) return close(new Uint8Array(digestOf(words, job)))
      return now === jobState.failed || ended ? close(hashPiece(data, leaf)) : null
    }

    async function wait(): Promise<Uint8Array> {
      waits += 1
      port?.ref()
      try {
        for (;;) {
          const there = digest()
          if (there !== null) return there
          const now = Atomics.load(words, state)
          if (now === jobState.listed || now === jobState.begun) {
            await Atomics.waitAsync(words, state, now).value
          }
        }
      } finally {
        waits -= 1
        if (waits === 0) port?.unref()
      }
    }

    function finish(): Uint8Array | Promise<Uint8Array> {
      const there = digest()
      if (there !== null) return there
      const before = Atomics.compareExchange(words, state, jobState.listed, jobState.begun)
      if (before !== jobState.listed) return wait()
      const hashed = close(hashPiece(data, leaf))
      // Another caller of this Hashing may wait for the other thread.
      Atomics.notify(words, state)
      return hashed
    }

    return { digest, finish, wait }
  }

  return (data, leaf) => {
    const { buffer } = data
    if (data.length < bytesMin || !(buffer instanceof SharedArrayBuffer) || ended) return null
    port ??= begin()
    const job = jobAt(count)
    if (Atomics.load(words, word.ready) === 0 || !hasRoom(job)) return null
    const memory = numberOf(buffer, port)
    if (memory === null) return null
    words[job + jobWord.memory] = memory
    words[job + jobWord.at] = data.byteOffset
    words[job + jobWord.bytes] = data.length
    words[job + jobWord.leaf] = leaf ? 1 : 0
    open.add(job)
    count = (count + 1) | 0
    Atomics.store(words, job + jobWord.state, jobState.listed)
    Atomics.store(words, word.listed, count)
    Atomics.notify(words, word.listed)
    return hashingOf(job, data, leaf)
  }
}
