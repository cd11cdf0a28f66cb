// Tests of the chunkers: the chunks are the whole stream, cut only at the boundaries that the content determines. The CID vectors
// (import.test.ts) check that they cut as Kubo does.
import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { test } from 'node:test'
import { type Chunker, buzhashBounds, chunksOf } from './chunk.ts'

const rabin = { kind: 'rabin', min: 2000, average: 4096, max: 9000 } as const
const buzhash = { kind: 'buzhash' } as const

test('chunks are the same however the stream arrives', async () => {
  const bytes = noise(1_500_000)
  for (const chunker of [rabin, buzhash, { kind: 'size', bytes: 70_001 }] as const) {
    const whole = await cut(bytes, chunker, [bytes.length])
    assert.ok(Buffer.concat(whole).equals(bytes))
    for (const sizes of [[1, 4096, 7], [16], [131_072], [524_288, 3]]) {
      const lengths = (await cut(bytes, chunker, sizes)).map((chunk) => chunk.length)
      assert.deepEqual(
        lengths,
        whole.map((chunk) => chunk.length),
      )
    }
  }
})

test('no chunk but the last is shorter than its bounds say, and none is longer', async () => {
  for (const bytes of [noise(2_000_000), new Uint8Array(2_000_000)]) {
    for (const [chunker, { min, max }] of [
      [rabin, rabin],
      [buzhash, buzhashBounds],
    ] as const) {
      const lengths = (await cut(bytes, chunker, [65_536])).map((chunk) => chunk.length)
      assert.ok(lengths.length > 2)
      assert.ok(lengths.every((length) => length > 0 && length <= max))
      assert.ok(lengths.slice(0, -1).every((length) => length >= min))
    }
  }
})

test('an empty stream has no chunk, and one that ends at a cut no empty one', async () => {
  for (const chunker of [rabin, buzhash, { kind: 'size', bytes: 10 }] as const) {
    assert.deepEqual(await cut(new Uint8Array(0), chunker, [1]), [])
    const [first] = await cut(noise(1_500_000), chunker, [65_536])
    assert.ok(first)
    assert.deepEqual(
      (await cut(first, chunker, [4096])).map((chunk) => chunk.length),
      [first.length],
    )
  }
})

test('bytes put in at the start move the chunks behind them and change few', async () => {
  const bytes = noise(1_000_000)
  const before = new Set((await cut(bytes, rabin, [65_536])).map((chunk) => hex(chunk)))
  const longer = Buffer.concat([Buffer.from('inserted'), bytes])
  const after = await cut(longer, rabin, [65_536])
  const known = after.filter((chunk) => before.has(hex(chunk)))
  assert.ok(known.length > after.length * 0.9, `${known.length} of ${after.length}`)
})

test('looking for cuts gives other work its turn', async () => {
  let turns = 0
  let done = false
  const others = () => {
    turns += 1
    if (!done) setImmediate(others)
  }
  setImmediate(others)
  await cut(noise(4 * 1024 * 1024), buzhash, [4 * 1024 * 1024])
  done = true
  assert.ok(turns >= 7, `${turns} turns`)
})

test('what is handed over may be reused by the source', async () => {
  async function* reused() {
    const piece = new Uint8Array(1000)
    for (let value = 1; value <= 9; value += 1) yield piece.fill(value)
  }
  for await (const chunk of chunksOf(reused(), { kind: 'size', bytes: 3000 })) {
    assert.deepEqual(new Set(chunk).size, 3)
  }
})

function noise(size: number): Buffer {
  return createCipheriv('chacha20', Buffer.alloc(32, 7), Buffer.alloc(16)).update(
    Buffer.alloc(size),
  )
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

async function cut(
  bytes: Uint8Array,
  chunker: Chunker,
  sizes: readonly number[],
): Promise<Uint8Array[]> {
  async function* pieces() {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] as number
      yield bytes.subarray(at, at + size)
      at += size
    }
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(pieces(), chunker)) chunks.push(chunk)
  return chunks
}
