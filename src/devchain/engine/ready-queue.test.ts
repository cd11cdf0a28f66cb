import assert from 'node:assert/strict'
import test from 'node:test'
import type { PoolEntry } from './pool.ts'
import { ReadyQueue } from './ready-queue.ts'

const room = { gas: 60_000_000n, blobs: 9 }
let made = 0

function entry(sender: number, nonce: bigint, part: Partial<PoolEntry> = {}): PoolEntry {
  made += 1
  return {
    raw: new Uint8Array(1),
    hash: new Uint8Array(32).fill(made),
    sender: new Uint8Array(20).fill(sender),
    nonce,
    gas: 21_000n,
    cost: 10n,
    feeCap: 100n,
    tip: 5n,
    blobs: 0,
    blobFeeCap: null,
    ...part,
  }
}

function queueOf(lanes: readonly (readonly PoolEntry[])[], inArrival = lanes.flat()) {
  return new ReadyQueue({ lanes, inArrival, baseFee: 50n, blobFee: 7n })
}

function drain(queue: ReadyQueue): PoolEntry[] {
  const returned: PoolEntry[] = []
  for (let next = queue.next(room); next !== null; next = queue.next(room)) {
    returned.push(next)
    queue.advance()
  }
  return returned
}

test('the higher tip goes first, the earlier arrival among equals, nonces in order', () => {
  const [low, high] = [entry(1, 4n), entry(1, 5n, { tip: 40n })]
  const middle = entry(2, 0n, { tip: 20n })
  const twin = entry(3, 0n)
  // Its fee cap leaves 2 above the base fee, whatever its tip is.
  const capped = entry(4, 0n, { feeCap: 52n, tip: 50n })
  const lanes = [[low, high], [capped], [twin], [middle]]
  assert.deepEqual(drain(queueOf(lanes, [twin, low, high, middle, capped])), [
    middle,
    twin,
    low,
    high,
    capped,
  ])
})

test('who is priced out or too big waits, and all of that sender that follows', () => {
  const dear = [entry(1, 0n, { feeCap: 49n }), entry(1, 1n, { tip: 50n })]
  const big = [entry(2, 0n, { gas: 60_000_001n })]
  const blobs = [entry(3, 0n, { blobs: 10, blobFeeCap: 9n })]
  const cheapBlob = [entry(4, 0n, { blobs: 1, blobFeeCap: 6n })]
  const good = [entry(5, 0n, { blobs: 9, blobFeeCap: 7n })]
  assert.deepEqual(drain(queueOf([dear, big, blobs, cheapBlob, good])), good)
})

test('after one that cannot run, its sender is left out', () => {
  const queue = queueOf([[entry(1, 0n, { tip: 9n }), entry(1, 1n)], [entry(2, 0n)]])
  assert.equal(queue.next(room)?.tip, 9n)
  queue.skip()
  assert.deepEqual(
    drain(queue).map(({ sender }) => sender[0]),
    [2],
  )
})
