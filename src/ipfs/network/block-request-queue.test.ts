import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createBlockRequestQueue } from './block-request-queue.ts'
import { creditWindowBytes, createSendCredit } from './net-credit.ts'
import type { ToNet } from './net-frames.ts'

const mib = 1024 * 1024

/** Block n of `sizes[n]` bytes; `hidden` ones are private. */
function queueOf(sizes: readonly number[], hidden: readonly number[] = [], queuedMax = 4096) {
  const sent: string[] = []
  const checks: number[][] = []
  const credit = createSendCredit()
  const deleted = new Set<number>()
  const sizeOf = ([number = 0]: Uint8Array): number | null => sizes[number] ?? null
  const queue = createBlockRequestQueue({
    blocks: {
      isPublic: ([number = 0]) => !hidden.includes(number) && number < sizes.length,
      sizeOf,
      read: (multihash) =>
        deleted.has(multihash[0] ?? 0) ? null : new Uint8Array(sizeOf(multihash) ?? 0),
    },
    credit,
    check: (multihashes) => checks.push(multihashes.map(([number = 0]) => number)),
    send(frame: ToNet) {
      const bytes =
        frame.kind === 'here' ? frame.bytes.length : frame.kind === 'size' ? frame.bytes : ''
      sent.push(`${frame.kind} ${frame.id} ${bytes}`.trim())
    },
    queuedMax,
  })
  let next = 0
  function request(number: number, sizeOnly = false): void {
    next += 1
    queue.add({ id: next, sizeOnly, multihash: Uint8Array.of(number) })
  }
  return { queue, sent, checks, credit, deleted, request }
}

test('a public block is given after the check, its size from the index alone', () => {
  const { queue, sent, checks, request } = queueOf([100])
  request(0)
  request(0, true)
  assert.deepEqual(checks, [[0]])
  queue.onChecked([true])
  queue.onChecked([true])
  assert.deepEqual(sent, ['here 1 100', 'size 2 100'])
  assert.deepEqual(queue.counts, { received: 2, served: 1, servedBytes: 100, refused: 0 })
})

test('private, denied and absent blocks get the same answer', () => {
  const { queue, sent, checks, request } = queueOf([100, 100], [0])
  request(0)
  request(9)
  request(1)
  queue.onChecked([false])
  assert.deepEqual(sent, ['notHere 1', 'notHere 2', 'notHere 3'])
  assert.deepEqual(checks, [[1]])
})

test('one check is under way, of 64 blocks at most', () => {
  const { queue, checks, request } = queueOf([1])
  for (let index = 0; index < 200; index += 1) request(0)
  assert.deepEqual(
    checks.map((group) => group.length),
    [1],
  )
  queue.onChecked([true])
  queue.onChecked(Array.from({ length: 64 }, () => true))
  assert.deepEqual(
    checks.map((group) => group.length),
    [1, 64, 64],
  )
})

test('without credit nothing is read, and a block that is gone meanwhile is absent', async () => {
  const { queue, sent, credit, deleted, request } = queueOf([4 * mib])
  for (let index = 0; index < 6; index += 1) request(0)
  queue.onChecked([true])
  queue.onChecked(Array.from({ length: 5 }, () => true))
  assert.equal(sent.length, 4)
  deleted.add(0)
  credit.grant(4 * mib)
  assert.deepEqual(sent.slice(4), ['notHere 5'])
  await setImmediate()
  assert.deepEqual(sent.slice(5), ['notHere 6'])
  await setImmediate()
  credit.grant(creditWindowBytes - 4 * mib)
})

test('beyond the limit of waiting requests, blocks count as absent', () => {
  const { queue, sent, request } = queueOf([1], [], 3)
  for (let index = 0; index < 4; index += 1) request(0)
  assert.deepEqual(sent, ['notHere 4'])
  assert.equal(queue.counts.refused, 1)
})
