import assert from 'node:assert/strict'
import test from 'node:test'
import { Pool } from './pool.ts'
import type { PoolEntry } from './pool.ts'

const bytes = (fill: number, length: number) => new Uint8Array(length).fill(fill)
let made = 0

function entry(sender: number, nonce: bigint, fee = 100n): PoolEntry {
  made += 1
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, made)
  return {
    raw: hash,
    hash,
    sender: bytes(sender, 20),
    nonce,
    gas: 21_000n,
    cost: 10n,
    feeCap: fee,
    tip: fee,
    blobs: 0,
    blobFeeCap: null,
  }
}

test('a replacement pays at least ten percent more in both fees', () => {
  const pool = new Pool()
  pool.add(entry(1, 0n))
  assert.throws(() => pool.add(entry(1, 0n, 109n)), /replacement transaction underpriced/)
  assert.throws(() => pool.add({ ...entry(1, 0n, 200n), tip: 109n }), /underpriced/)
  const better = entry(1, 0n, 110n)
  pool.add(better)
  assert.equal(pool.at(better.sender, 0n), better)
  assert.throws(() => pool.add(better), /already known/)
})

test('the pool is bounded for each sender and in all', () => {
  const pool = new Pool({ perSenderMax: 2, totalMax: 3, bytesMax: 1000 })
  for (const nonce of [0n, 1n]) pool.add(entry(1, nonce))
  assert.throws(() => pool.add(entry(1, 2n)), /account limit exceeded/)
  const last = entry(2, 0n)
  pool.add(last)
  assert.throws(() => pool.add(entry(3, 0n)), /txpool is full/)
  pool.remove(last)
  pool.add(entry(3, 0n))
})

test('what leaves at once needs no room, so a full queue can never shut out what it waits for', () => {
  const pool = new Pool({ perSenderMax: 1, totalMax: 1, bytesMax: 1000 })
  pool.add(entry(1, 1n))
  assert.throws(() => pool.add(entry(1, 0n)), /account limit exceeded/)
  const awaited = entry(1, 0n)
  pool.add(awaited, true)
  assert.equal(pool.nextNonce(awaited.sender, 0n), 2n)
})

test('the next nonce skips what waits without a gap', () => {
  const pool = new Pool()
  for (const nonce of [4n, 5n, 7n]) pool.add(entry(1, nonce))
  const sender = bytes(1, 20)
  assert.equal(pool.nextNonce(sender, 4n), 6n)
  assert.equal(pool.nextNonce(sender, 3n), 3n)
  assert.equal(pool.costExcept(sender, 4n, 4n), 10n)
  assert.equal(pool.costExcept(sender, 6n, 4n), 20n)
  assert.equal(pool.costExcept(sender, 3n, 3n), 0n)
})

test('the pool is bounded in bytes, and room comes back', () => {
  const pool = new Pool({ perSenderMax: 9, totalMax: 9, bytesMax: 64 })
  const first = entry(1, 0n)
  pool.add(first)
  pool.add(entry(1, 1n))
  assert.throws(() => pool.add(entry(2, 0n)), /txpool is full/)
  pool.remove(first)
  pool.remove(first)
  pool.add(entry(2, 0n))
})

test('an entry is announced once, and a replacement anew', () => {
  const pool = new Pool()
  const first = entry(1, 0n)
  assert.equal(pool.announce(first), false)
  pool.add(first)
  assert.equal(pool.announce(first), true)
  assert.equal(pool.announce(first), false)
  const better = entry(1, 0n, 200n)
  pool.add(better)
  assert.equal(pool.announce(better), true)
  assert.deepEqual([...pool.inArrival()], [better])
})
