import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createMemoryShares } from './memory-shares.ts'
import { type RateShares, createShareSpender } from './rate-shares.ts'

/** Buckets in another process. `takes`: number of calls. */
function remote(nodes: number) {
  const clock = createManualClock()
  const shares = createMemoryShares({ clock, aheadMs: 100 / nodes })
  const counted = { takes: 0 }
  const source: RateShares = {
    ...shares,
    async take(...args) {
      counted.takes += 1
      await setImmediate()
      return shares.take(...args)
    },
    refillMs: async (...args) => shares.refillMs(...args),
  }
  const spenders = Array.from({ length: nodes }, () =>
    createShareSpender({ shares: source, clock }),
  )
  return { clock, spenders, counted }
}

const rate = { perSecond: 1000, burst: 1000 }

test('a share is spent without a promise, and only the next one is waited for', async () => {
  const { spenders, counted } = remote(1)
  const [node] = spenders
  assert.equal(await node?.spend('a', rate, 10), null)
  for (let n = 0; n < 9; n++) assert.equal(node?.spend('a', rate, 10), null)
  assert.equal(counted.takes, 1)
  assert.equal(await node?.spend('a', rate, 10), null)
  assert.equal(counted.takes, 2)
})

test('requests of one turn take one share together, each to its unit', async () => {
  const { spenders, counted } = remote(1)
  const spent = Array.from({ length: 1001 }, async () => spenders[0]?.spend('a', rate, 1))
  const refusals = (await Promise.all(spent)).filter((refusal) => refusal !== null)
  assert.equal(refusals.length, 1)
  assert.equal(counted.takes, 1)
})

test('a refusal has the wait, and is repeated from memory for a tenth of a second', async () => {
  const { spenders, counted, clock } = remote(1)
  const [node] = spenders
  assert.equal(await node?.spend('a', rate, 1000), null)
  assert.deepEqual(await node?.spend('a', rate, 200), {
    waitMs: 200,
    currentPerSecond: 1200,
    ok: false,
  })
  for (let n = 0; n < 100; n++) assert.ok(node?.spend('a', rate, 200) !== null)
  assert.equal(counted.takes, 2)
  assert.equal((await node?.spend('a', rate, 1)) === null, false)
  clock.advance(200)
  assert.equal(await node?.spend('a', rate, 200), null)
})

test('eight nodes admit the burst, the rate and one share each, and refuse nothing below the rate', async () => {
  const { spenders, clock } = remote(8)
  let admitted = 0
  const seconds = 5
  for (let ms = 0; ms < seconds * 1000; ms += 10) {
    const refusals = spenders.flatMap((node) =>
      Array.from({ length: 5 }, async () => node.spend('a', rate, 3)),
    )
    for (const refusal of await Promise.all(refusals)) if (refusal === null) admitted += 3
    clock.advance(10)
  }
  const most = rate.burst + rate.perSecond * seconds + rate.perSecond * 0.1
  assert.ok(admitted <= most, `${admitted} of ${most}`)
  assert.ok(admitted >= rate.burst + rate.perSecond * seconds * 0.95, `${admitted}`)

  const calm = remote(8)
  for (let n = 0; n < 3000; n++) {
    // Uneven load: the first node gets most requests.
    const node = calm.spenders[n % 4 === 0 ? n % 8 : 0]
    assert.equal(await node?.spend('a', rate, 9), null)
    calm.clock.advance(10)
  }
})

test('requests that wait are bounded, and a failure reaches each of them', async () => {
  const clock = createManualClock()
  const shares: RateShares = {
    ...createMemoryShares({ clock, aheadMs: 100 }),
    take: () => Promise.reject(new Error('a bug')),
  }
  const spender = createShareSpender({ shares, clock })
  const waiting = Array.from({ length: 10_000 }, async () => spender.spend('a', rate, 1))
  assert.throws(
    () => void spender.spend('a', rate, 1),
    (thrown) => thrown instanceof Fault && thrown.code === 'overloaded',
  )
  const ends = await Promise.allSettled(waiting)
  assert.ok(ends.every(({ status }) => status === 'rejected'))
})
