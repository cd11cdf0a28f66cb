import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { begun, createHostedHash, hostGuest } from '../../../test/fakes/files/hash-worker-thread.ts'
import { createHashWorker } from './hash-worker.ts'
import { jobState, jobWord, jobAt, word, type HashJobs } from './hash-jobs.ts'
import { leafPrefix, leafSuffix } from '../ipld/leaf-frame.ts'
import { multihashOf } from '../ipld/multihash.ts'
import { createParallelVerify } from './parallel-verify.ts'

const bytes = 262_144
const data = shared(randomBytes(bytes))
const framed = (of: Uint8Array): Buffer =>
  Buffer.concat([leafPrefix(of.length), of, leafSuffix(of.length)])
const digestOf = (of: Uint8Array): Buffer => Buffer.from(multihashOf('sha2-256', of).subarray(2))

function shared(of: Uint8Array): Uint8Array {
  const there = new Uint8Array(new SharedArrayBuffer(of.length))
  there.set(of)
  return there
}

/** No thread runs; listed jobs stay listed. */
function createAlone() {
  let jobs: HashJobs | null = null
  const hashWorker = createHashWorker((guest) => {
    jobs = guest.data
    Atomics.store(guest.data.words, word.ready, 1)
  })
  return { hashWorker, jobs: () => jobs ?? assert.fail('no thread was attached') }
}

test('a large block and a large leaf are proved by their bytes, and by no others', async () => {
  const hashWorker = createHostedHash()
  await (await begun(hashWorker, data, false)).finish()
  const beside = createParallelVerify(hashWorker)
  const prove = async (name: Uint8Array, of: Uint8Array, leaf: boolean): Promise<void> => {
    const finish = beside(name, of, leaf) ?? assert.fail('it is proved elsewhere')
    await finish()
  }
  const unverified = { code: 'unverified' }
  for (const leaf of [false, true]) {
    const name = multihashOf('sha2-256', leaf ? framed(data) : data)
    await prove(name, data, leaf)
    await assert.rejects(prove(name, data, !leaf), unverified)
    for (const at of [0, 1, 100_000, bytes - 1]) {
      const wrong = shared(data)
      wrong[at] = (wrong[at] ?? 0) ^ 1
      await assert.rejects(prove(name, wrong, leaf), unverified)
    }
    await assert.rejects(prove(name, data.subarray(1), leaf), unverified)
  }
})

test('the other thread hashes the remaining jobs at any offset in shared memory', async () => {
  const hashWorker = createHostedHash()
  const rooms = [shared(randomBytes(bytes)), shared(randomBytes(bytes))]
  for (let at = 0; at < 200; at += 1) {
    const room = rooms[at % 2] ?? data
    const piece = room.subarray(at, at + 65_536 + at)
    const leaf = at % 3 === 0
    const hashing = await begun(hashWorker, piece, leaf)
    assert.deepEqual(Buffer.from(await hashing.wait()), digestOf(leaf ? framed(piece) : piece))
    assert.deepEqual(hashing.digest(), await hashing.finish())
  }
})

test('a job wanted by both threads is hashed once, and the waiting caller is woken', async () => {
  const hashWorker = createHostedHash()
  const expected = digestOf(data)
  for (let round = 0; round < 50; round += 1) {
    const some = [await begun(hashWorker, data, false)]
    while (some.length < 5) {
      const hashing = hashWorker(data, false)
      if (hashing === null) break
      some.push(hashing)
    }
    const waiting = some.map((each) => each.wait())
    const ended = await Promise.all(some.toReversed().map(async (each) => await each.finish()))
    for (const digest of [...ended, ...(await Promise.all(waiting))]) {
      assert.deepEqual(Buffer.from(digest), expected)
    }
  }
})

test('what the other thread has not begun is hashed here, and only so much waits for it', async () => {
  const { hashWorker, jobs } = createAlone()
  const some = Array.from({ length: 12 }, () => hashWorker(data, false))
  assert.deepEqual(
    some.map((each) => each !== null),
    Array.from({ length: 12 }, (_, at) => at < 8),
  )
  const [first, second] = some
  assert.deepEqual(first?.digest(), null)
  const waiting = first?.wait()
  assert.ok(first?.finish() instanceof Uint8Array)
  assert.deepEqual(Buffer.from((await waiting) ?? []), digestOf(data))
  assert.notEqual(hashWorker(data, false), null)
  // The state that the thread sets if it cannot hash the job.
  Atomics.store(jobs().words, jobAt(1) + jobWord.state, jobState.failed)
  assert.deepEqual(Buffer.from(second?.digest() ?? []), digestOf(data))
})

test('a thread that ends during a job blocks no caller', async () => {
  const { hashWorker, jobs } = createAlone()
  const hashing = hashWorker(data, false) ?? assert.fail('it is hashed elsewhere')
  Atomics.store(jobs().words, jobAt(0) + jobWord.state, jobState.begun)
  const waiting = hashing.finish()
  assert.ok(waiting instanceof Promise)
  jobs().port.close()
  assert.deepEqual(Buffer.from(await waiting), digestOf(data))
  assert.equal(hashWorker(data, false), null)
})

test('a thread that dies is done without', async () => {
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof hostGuest>>()
  const hashWorker = createHashWorker((guest) => resolve(hostGuest(guest)))
  await (await begun(hashWorker, data, false)).wait()
  const last = await begun(hashWorker, data, false)
  await (await promise).terminate()
  assert.deepEqual(Buffer.from(await last.finish()), digestOf(data))
})

test('without a thread, blocks are hashed on the calling thread', () => {
  const hashWorker = createHashWorker(() => {
    throw new Error('shutting down')
  })
  assert.equal(hashWorker(data, false), null)
  assert.equal(hashWorker(data, false), null)
})

test('small blocks, blocks in private memory and other hash functions are not handled here', () => {
  const { hashWorker } = createAlone()
  const beside = createParallelVerify(hashWorker)
  const name = multihashOf('sha2-256', data)
  assert.equal(beside(name, data.subarray(0, 65_535), false), null)
  assert.equal(beside(name, new Uint8Array(data), false), null)
  assert.equal(beside(name.subarray(0, 30), data, false), null)
  assert.equal(beside(multihashOf('sha2-512', data), data, false), null)
  assert.notEqual(beside(name, data, false), null)
})
