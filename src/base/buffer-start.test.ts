// Bytes buffered at the start of a stream: order, failures, reused chunks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bufferStart } from './buffer-start.ts'

const bytesOf = (...all: number[]) => Uint8Array.from(all)

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<number[][]> {
  const all: number[][] = []
  for await (const chunk of chunks) all.push([...chunk])
  return all
}

test('every byte is returned once and in order, for any buffer size', async () => {
  async function* source() {
    yield bytesOf(1)
    yield bytesOf(2, 3)
    yield bytesOf(4, 5, 6)
    yield bytesOf(7)
  }
  assert.deepEqual(await collect(bufferStart(source(), 0)), [[1], [2, 3], [4, 5, 6], [7]])
  assert.deepEqual(await collect(bufferStart(source(), 4)), [[1, 2, 3], [4, 5, 6], [7]])
  assert.deepEqual(await collect(bufferStart(source(), 100)), [[1, 2, 3, 4, 5, 6, 7]])
  assert.deepEqual(await collect(bufferStart((async function* () {})(), 4)), [])
})

test('a failure within the start comes before any byte, a later one after those before it', async () => {
  async function* source() {
    yield bytesOf(1)
    yield bytesOf(2)
    throw new Error('gone')
  }
  const early = bufferStart(source(), 3)
  await assert.rejects(early.next(), /gone/)
  const late = bufferStart(source(), 2)
  assert.deepEqual([...((await late.next()).value ?? [])], [1])
  assert.deepEqual([...((await late.next()).value ?? [])], [2])
  await assert.rejects(late.next(), /gone/)
})

test('held chunks may be written over by their source, and leaving early ends it', async () => {
  let ended = false
  async function* source() {
    const reused = bytesOf(1)
    try {
      for (;;) {
        yield reused
        reused[0] = (reused[0] ?? 0) + 1
      }
    } finally {
      ended = true
    }
  }
  const all = bufferStart(source(), 3)
  assert.deepEqual([...((await all.next()).value ?? [])], [1, 2])
  await all.return(undefined)
  assert.ok(ended)
})
