import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageRig } from '../../../test/fakes/people/usage-rig.ts'
import { createUsageFeed, type UsageSecond } from './usage-feed.ts'

function rig(readersMax = 2) {
  const all = createUsageRig()
  return { ...all, feed: createUsageFeed({ ...all, readersMax }) }
}

async function next(seconds: AsyncIterator<UsageSecond>): Promise<UsageSecond> {
  const { value, done } = await seconds.next()
  assert.ok(!done)
  return value as UsageSecond
}

test('a reader gets the usage of its scope each second, and no other', async () => {
  const { feed, usage, count, clock } = rig()
  const { signal } = new AbortController()
  const seconds = feed.follow({ accountId: 'a' }, signal)[Symbol.asyncIterator]()
  count({ keyId: 'k3' })
  await usage.flush()
  count()
  count({ keyId: 'k2' })
  count({ keyId: 'k2', outcome: 'over_rate', status: 429, units: 0, ms: null })
  await usage.flush()
  const second = await next(seconds)
  assert.equal(second.time, clock.now())
  assert.partialDeepStrictEqual(second.totals, { requests: 3, failed: 1, units: 160 })
  assert.equal(second.totals.latency?.calls, 2)
  assert.deepEqual(
    second.parts.map(({ keyId, outcome, requests }) => [keyId, outcome, requests]),
    [
      ['k1', 'ok', 1],
      ['k2', 'ok', 1],
      ['k2', 'over_rate', 1],
    ],
  )
})

test('readers of the same scope share one sum', async () => {
  const { feed, usage, count } = rig()
  const { signal } = new AbortController()
  const [first, second] = [0, 1].map(() =>
    feed.follow({ accountId: 'a' }, signal)[Symbol.asyncIterator](),
  )
  count()
  await usage.flush()
  assert.ok(first !== undefined && second !== undefined)
  const received = await next(first)
  assert.equal(await next(second), received)
  count()
  await usage.flush()
  assert.notEqual(await next(second), received)
})

test('a slow reader misses the oldest seconds, and only a few wait for it', async () => {
  const { feed, usage, count } = rig()
  const { signal } = new AbortController()
  const seconds = feed.follow({ keyId: 'k1' }, signal)[Symbol.asyncIterator]()
  for (let second = 1; second <= 25; second++) {
    for (let n = 0; n < second; n++) count()
    await usage.flush()
  }
  const received: number[] = []
  for (let n = 0; n < 10; n++) received.push((await next(seconds)).totals.requests)
  assert.deepEqual(received, [16, 17, 18, 19, 20, 21, 22, 23, 24, 25])
})

test('readers are limited, and a reader that leaves frees its place and gets no more seconds', async () => {
  const { feed, usage, count } = rig(1)
  const going = new AbortController()
  const first = feed.follow({ all: true }, going.signal)[Symbol.asyncIterator]()
  assert.throws(() => feed.follow({ all: true }, new AbortController().signal), {
    code: 'overloaded',
  })
  const waiting = first.next()
  going.abort()
  assert.deepEqual(await waiting, { value: undefined, done: true })
  const second = feed.follow({ all: true }, new AbortController().signal)[Symbol.asyncIterator]()
  count()
  await usage.flush()
  assert.equal((await next(second)).totals.requests, 1)
})

test('parts of a second are bounded, its totals are whole', async () => {
  const { feed, usage, count } = rig()
  const seconds = feed.follow({ all: true }, new AbortController().signal)[Symbol.asyncIterator]()
  for (let n = 0; n < 150; n++) count({ method: `m${n}` })
  await usage.flush()
  const { totals, parts } = await next(seconds)
  assert.deepEqual([totals.requests, parts.length], [150, 100])
})
