// Leaves hashed in parallel with more input: reported in order, written when all are hashed, a limited number at a time.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import type { FileLeaf } from '../block-store.ts'
import { createLeafWriter, type BufferedLeaf } from './leaf-writer.ts'
import { createWriteBufferPool, writeBufferBytes } from './io-buffers.ts'

const leafBytes = writeBufferBytes / 4

type WriteRequest = {
  readonly isOpen: () => boolean
  readonly answer: () => void
  readonly fail: (error: Error) => void
}

function createWriter(late = true, write = (): Promise<void> => Promise.resolve(), isBusy = true) {
  const requests: WriteRequest[] = []
  const reported: FileLeaf[] = []
  const written: (readonly BufferedLeaf[])[] = []
  const pool = createWriteBufferPool(4)
  // A hash worker with space for two.
  const hashWorker: HashWorker = (data) => {
    if (requests.filter(({ isOpen }) => isOpen()).length === 2) return null
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const digest = createHash('sha256').update(data).digest()
    let known: Uint8Array | null = null
    requests.push({
      isOpen: () => known === null,
      answer: () => resolve((known = digest)),
      fail: reject,
    })
    promise.catch(() => undefined)
    return {
      digest: () => known,
      finish: () => (isBusy ? (known ?? promise) : (known = digest)),
      wait: () => promise,
    }
  }
  const writer = createLeafWriter({
    cut: { bytes: leafBytes, form: 'raw', late },
    hashWorker,
    onLeaf: (leaf) => reported.push(leaf),
    pool,
    writeSlot: (slot, leaves) => {
      for (const { at, bytes, multihash } of leaves) {
        const digest = createHash('sha256')
          .update(slot.subarray(at, at + bytes))
          .digest()
        assert.deepEqual(Buffer.from(multihash.subarray(2)), digest)
      }
      written.push(leaves)
      return write()
    },
  })
  return { writer, requests, reported, written, pool }
}

/** Each leaf has different bytes. */
const leafOf = (number: number): Uint8Array => new Uint8Array(leafBytes).fill(number + 1)
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
}
const nameOf = (number: number): Buffer =>
  Buffer.concat([Buffer.of(0x12, 0x20), createHash('sha256').update(leafOf(number)).digest()])

test('leaves are reported in order of the file, and a slot is written when all its leaves are named', async () => {
  const { writer, requests, reported, written } = createWriter()
  for (let number = 0; number < 8; number += 1) {
    const piece = leafOf(number)
    const waiting = writer.write(piece)
    piece.fill(0)
    if (waiting !== null) await waiting
  }
  await turns()
  // The worker hashes the first two, this thread the others.
  assert.equal(requests.length, 2)
  assert.equal(reported.length, 0)
  requests[1]?.answer()
  await turns()
  assert.deepEqual([reported.length, written.length], [0, 0])
  requests[0]?.answer()
  await turns()
  assert.deepEqual([reported.length, written.length], [8, 2])
  await writer.write(leafOf(8))
  const ended = writer.end()
  await turns()
  for (const { answer } of requests) answer()
  await ended
  assert.deepEqual(
    reported.map(({ multihash }) => Buffer.from(multihash)),
    Array.from({ length: 9 }, (_, number) => nameOf(number)),
  )
  assert.equal(written.length, 3)
})

test('without late reporting each leaf is reported immediately, and none is hashed in parallel', async () => {
  const { writer, requests, reported } = createWriter(false)
  for (let number = 0; number < 5; number += 1) {
    assert.equal(writer.write(leafOf(number)), null)
    assert.equal(reported.length, number + 1)
  }
  assert.equal(requests.length, 0)
  await writer.end()
})

test('a leaf that cannot be named is an error of the file, and its slot is not written', async () => {
  const { writer, requests, reported, written, pool } = createWriter()
  for (const number of [0, 1, 2]) assert.equal(writer.write(leafOf(number)), null)
  requests[0]?.fail(new Error('no memory'))
  requests[1]?.answer()
  await assert.rejects(writer.end(), /no memory/)
  await writer.abandon()
  assert.deepEqual([reported.length, written.length], [0, 0])
  assert.equal(pool.inUse, 0)
})

test('an abandoned file waits for its hashes, reports no more leaves and returns its slots', async () => {
  const { writer, requests, reported, written, pool } = createWriter()
  for (const number of [0, 1, 2]) assert.equal(writer.write(leafOf(number)), null)
  let ended = false
  const abandoned = writer.abandon().then(() => (ended = true))
  await turns()
  assert.equal(ended, false)
  for (const { answer } of requests) answer()
  await abandoned
  assert.deepEqual([reported.length, written.length, pool.inUse], [0, 0, 0])
})

test('if no more input can be taken, no leaf waits for another thread', async () => {
  const { requests, writer } = createWriter(true, () => new Promise(() => {}), false)
  let waiting: Promise<void> | null = null
  for (let number = 0; waiting === null; number += 1) waiting = writer.write(leafOf(number))
  void waiting.catch(() => undefined)
  await turns()
  assert.ok(requests.length > 0)
  assert.ok(requests.every(({ isOpen }) => !isOpen()))
})
