// Guarantees of a sequential read: order, verified bytes only, and null for corrupt pieces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eachPiece } from '../../test/suites/block-store.suite.ts'
import { silentLog } from '../base/log.ts'
import { leafPrefix, leafSuffix } from '../codec/ipld/leaf-frame.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { verifyDagBlock, verifyLeaf } from '../codec/ipld/verify-dag-block.ts'
import { createMemoryStore } from './memory-store.ts'
import { createSequentialRead, type RunParts } from './sequential-read.ts'
import type { ContentRef } from './ref.ts'
import type { BlockStore, StoredChunk } from './block-store.ts'

const never = new AbortController().signal

function refOf(block: Uint8Array): ContentRef {
  return { kind: 'dag-block', hash: multihashOf('sha2-256', block) }
}

function createRun(
  store: Pick<BlockStore, 'read'>,
  verifyInParallel: RunParts['verifyInParallel'] = null,
) {
  const counted: string[] = []
  const readRun = createSequentialRead({
    store,
    verify: (ref, bytes) => verifyDagBlock(ref.hash, bytes),
    verifyLeaf,
    verifyInParallel,
    log: silentLog,
    count: (event) => counted.push(event),
  })
  return { readRun, counted }
}

/** A store that returns `pieces`, each as a group, for any refs; calls are recorded. */
function storeOf(pieces: readonly (StoredChunk | null)[]) {
  const seen = { asked: 0, left: false }
  const store: Pick<BlockStore, 'read'> = {
    async *read() {
      try {
        for (const piece of pieces) {
          seen.asked += 1
          yield [piece]
        }
      } finally {
        seen.left = true
      }
    },
  }
  return { store, seen }
}

const texts = ['one', 'two', 'three'].map((text) => Buffer.from(text))
const framed = (data: Uint8Array) =>
  Buffer.concat([leafPrefix(data.length), data, leafSuffix(data.length)])

test('blocks come in the requested order, and a missing one is null', async () => {
  const store = createMemoryStore()
  const [one, two, three] = texts as [Buffer, Buffer, Buffer]
  await store.put([three, one].map((bytes) => ({ ref: refOf(bytes), bytes })))
  const { readRun, counted } = createRun(store)
  const received: (string | null)[] = []
  for await (const piece of eachPiece(readRun([one, two, three].map(refOf), never))) {
    received.push(piece === null ? null : Buffer.from(piece.data).toString())
  }
  assert.deepEqual(received, ['one', null, 'three'])
  assert.deepEqual(counted, ['held', 'held'])
})

test('a leaf is proved by the block that its bytes make', async () => {
  const [one, two, three] = texts as [Buffer, Buffer, Buffer]
  const refs = [one, two, three].map((data) => refOf(framed(data)))
  const { store } = storeOf([
    { data: one, leaf: true },
    { data: three, leaf: true },
    // The right bytes, but marked as a whole block.
    { data: three, leaf: false },
  ])
  const { readRun, counted } = createRun(store)
  const received: boolean[] = []
  for await (const piece of eachPiece(readRun(refs, never))) received.push(piece !== null)
  assert.deepEqual(received, [true, false, false])
  assert.deepEqual(counted, ['held', 'misread', 'misread'])
})

test('a leaf named by another hash function than sha2-256 is not believed', async () => {
  const data = Buffer.from('one')
  const ref: ContentRef = { kind: 'dag-block', hash: multihashOf('sha2-512', framed(data)) }
  const { store } = storeOf([{ data, leaf: true }])
  for await (const piece of eachPiece(createRun(store).readRun([ref], never))) {
    assert.equal(piece, null)
  }
})

test('any flipped bit of a leaf or of a block is seen', async () => {
  const data = Buffer.from('bytes of a leaf')
  for (const leaf of [true, false]) {
    const stored = leaf ? data : framed(data)
    for (let bit = 0; bit < 8 * stored.length; bit++) {
      const wrong = Buffer.from(stored)
      wrong[bit >> 3] = (wrong[bit >> 3] as number) ^ (1 << (bit & 7))
      const { store } = storeOf([{ data: wrong, leaf }])
      for await (const piece of eachPiece(createRun(store).readRun([refOf(framed(data))], never))) {
        assert.equal(piece, null)
      }
    }
  }
})

test('leaving a run early also ends the read of the store', async () => {
  const { store, seen } = storeOf(texts.map((data) => ({ data, leaf: false })))
  for await (const piece of eachPiece(createRun(store).readRun(texts.map(refOf), never))) {
    assert.notEqual(piece, null)
    break
  }
  assert.ok(seen.left)
})

test('a corrupt piece is null and reported as lost, and the rest of its group is returned', async () => {
  const [one, two, three] = texts as [Buffer, Buffer, Buffer]
  const { store } = storeOf([])
  const group = [one, three, three].map((data) => ({ data, leaf: false }))
  const grouped = {
    ...store,
    async *read() {
      yield group
    },
  }
  const { readRun, counted } = createRun(grouped)
  const [first, ...more] = await Array.fromAsync(readRun([one, two, three].map(refOf), never))
  assert.deepEqual(first, [group[0], null, group[2]])
  assert.deepEqual(more, [])
  assert.equal(counted.filter((event) => event === 'misread').length, 1)
})

test('a group waits for its parallel proofs, and a refused piece is lost', async () => {
  const many = Array.from({ length: 8 }, (_, index) => Buffer.from(`piece ${index}`))
  const { store } = storeOf([])
  const group = many.map((data) => ({ data, leaf: false }))
  const grouped = {
    ...store,
    async *read() {
      yield group
    },
  }
  const proofs: { readonly text: string; readonly end: (error: Error | null) => void }[] = []
  const { readRun, counted } = createRun(grouped, (_, data) => {
    const text = Buffer.from(data).toString()
    // Too small for the other thread.
    if (text === 'piece 1') return null
    // Fails immediately on this thread.
    if (text === 'piece 2') return () => null
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    proofs.push({ text, end: (error) => (error === null ? resolve() : reject(error)) })
    return () => promise
  })
  const refs = many.map(refOf)
  const next = readRun(refs, never).next()
  let isGiven = false
  void next.then(() => (isGiven = true))
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  assert.deepEqual(
    proofs.map(({ text }) => text),
    ['piece 0', 'piece 3', 'piece 4', 'piece 5', 'piece 6', 'piece 7'],
  )
  // This thread hashed the two others in the meantime.
  assert.deepEqual(counted, ['held', 'held'])
  for (const { text, end } of proofs.toReversed()) {
    assert.equal(isGiven, false)
    end(text === 'piece 5' ? new Error('other bytes') : null)
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }
  const { value } = await next
  assert.deepEqual(
    value,
    group.map((piece, at) => (at === 5 ? null : piece)),
  )
})

/** Parallel checks that end on request; calls are recorded. */
function countedProofs() {
  const seen = { begun: 0, ended: 0 }
  const verifyInParallel: RunParts['verifyInParallel'] = () => {
    seen.begun += 1
    return () => {
      seen.ended += 1
      return null
    }
  }
  return { seen, verifyBeside: verifyInParallel }
}

test('while the caller has one group, only the next one is verified in parallel', async () => {
  const many = Array.from({ length: 10 }, (_, index) => Buffer.from(`piece ${index}`))
  const { store, seen } = storeOf(many.map((data) => ({ data, leaf: false })))
  const proofs = countedProofs()
  const { readRun, counted } = createRun(store, proofs.verifyBeside)
  const run = readRun(many.map(refOf), never)
  for (const count of [1, 2, 3]) {
    assert.equal((await run.next()).done, false)
    // A caller that stops reading for a while.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    assert.equal(seen.asked, count + 1)
    assert.deepEqual(proofs.seen, { begun: count + 1, ended: count })
    assert.equal(counted.length, count)
  }
  await run.return(undefined)
  assert.ok(seen.left)
})

test('data in memory is verified in parallel before earlier work is finished on this thread', async () => {
  const { store } = storeOf(texts.map((data) => ({ data, leaf: false })))
  const begunAtEnd: number[] = []
  let begun = 0
  const { readRun } = createRun(store, () => {
    begun += 1
    return () => {
      begunAtEnd.push(begun)
      return null
    }
  })
  await Array.fromAsync(readRun(texts.map(refOf), never))
  assert.deepEqual(begunAtEnd, [2, 3, 3])
})

test('leaving a run early, or aborting it, leaves no started proof unfinished', async () => {
  for (const leave of ['return', 'abort'] as const) {
    const abort = new AbortController()
    const { store, seen } = storeOf(texts.map((data) => ({ data, leaf: false })))
    const proofs = countedProofs()
    const run = createRun(store, proofs.verifyBeside).readRun(texts.map(refOf), abort.signal)
    await run.next()
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    assert.deepEqual(proofs.seen, { begun: 2, ended: 1 })
    if (leave === 'return') await run.return(undefined)
    else {
      abort.abort(new Error('left'))
      await assert.rejects(run.next(), /left/)
    }
    assert.deepEqual(proofs.seen, { begun: 2, ended: 2 })
    assert.ok(seen.left)
  }
})

test('a next group that cannot be read fails when it is requested, not before', async () => {
  const [one, two] = texts as [Buffer, Buffer, Buffer]
  const failing: Pick<BlockStore, 'read'> = {
    async *read() {
      yield [{ data: one, leaf: false }]
      throw new Error('the index is gone')
    },
  }
  const run = createRun(failing).readRun([one, two].map(refOf), never)
  assert.equal((await run.next()).done, false)
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  await assert.rejects(run.next(), /the index is gone/)
})

test('a run ends with the signal', async () => {
  const abort = new AbortController()
  const { store } = storeOf(texts.map((data) => ({ data, leaf: false })))
  const run = createRun(store).readRun(texts.map(refOf), abort.signal)
  await run.next()
  abort.abort(new Error('left'))
  await assert.rejects(run.next(), /left/)
})
