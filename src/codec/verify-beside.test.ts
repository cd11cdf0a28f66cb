import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { leafPrefix, leafSuffix } from './leaf-frame.ts'
import { multihashOf } from './multihash.ts'
import { createHashBeside } from './hash-beside.ts'
import { createVerifyBeside } from './verify-beside.ts'

const data = randomBytes(262_144)
const framed = (bytes: Uint8Array): Buffer =>
  Buffer.concat([leafPrefix(bytes.length), bytes, leafSuffix(bytes.length)])
const unverified = { code: 'unverified' }

test('a large block and a large leaf are proved by their bytes, and by no others', async () => {
  const beside = createVerifyBeside(createHashBeside())
  for (const leaf of [false, true]) {
    const name = multihashOf('sha2-256', leaf ? framed(data) : data)
    await beside(name, data, leaf)
    await assert.rejects(beside(name, data, !leaf) ?? Promise.resolve(), unverified)
    for (const at of [0, 1, 100_000, data.length - 1]) {
      const wrong = Buffer.from(data)
      wrong[at] = (wrong[at] ?? 0) ^ 1
      await assert.rejects(beside(name, wrong, leaf) ?? Promise.resolve(), unverified)
    }
    await assert.rejects(beside(name, data.subarray(1), leaf) ?? Promise.resolve(), unverified)
  }
})

test('bytes and name may be used again as soon as the proof has begun', async () => {
  const beside = createVerifyBeside(createHashBeside())
  const others = Array.from({ length: 8 }, () => randomBytes(100_000))
  const room = new Uint8Array(262_144)
  const proofs = [...others, data].map((bytes, index) => {
    const leaf = index % 2 === 0
    const name = multihashOf('sha2-256', leaf ? framed(bytes) : bytes)
    room.set(bytes)
    const proof = beside(name, room.subarray(0, bytes.length), leaf)
    room.fill(0)
    name.fill(0)
    return proof ?? assert.fail('it is proved elsewhere')
  })
  await Promise.all(proofs)
})

test('a leaf is hashed where it lies in its memory, which is as it was right after', async () => {
  const hashBeside = createHashBeside()
  const within = randomBytes(data.length + 100)
  for (const at of [0, 13, 14, 50, 94, 95, 96, 100]) {
    within.set(data, at)
    const before = Buffer.from(within)
    const digest = hashBeside(within.subarray(at, at + data.length), true, within)
    assert.deepEqual(within, before)
    within.fill(0)
    const expected = multihashOf('sha2-256', framed(data)).subarray(2)
    assert.deepEqual(await digest, new Uint8Array(expected), `at ${at}`)
  }
})

test('what is small, cut short or named by another function is for the usual way', () => {
  const beside = createVerifyBeside(createHashBeside())
  const name = multihashOf('sha2-256', data)
  assert.equal(beside(name, data.subarray(0, 65_535), false), null)
  assert.equal(beside(name.subarray(0, 30), data, false), null)
  assert.equal(beside(multihashOf('sha2-512', data), data, false), null)
})
