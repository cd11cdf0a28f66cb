// The guarantees of every RateShares.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RateShares } from '../../src/access/limits/rate-shares.ts'

/** `one` and `other`: two processes that share the buckets. `pass`: advances the time. */
export type OpenedShares = {
  readonly one: RateShares
  readonly other: RateShares
  pass(ms: number): void | Promise<void>
}

// A rate so low that no unit is refilled during a test.
const slow = { perSecond: 0.01, burst: 10 }

export function testRateShares(
  name: string,
  open: (t: TestContext) => OpenedShares | Promise<OpenedShares>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options
  const check = (what: string, run: (opened: OpenedShares) => Promise<void>): void => {
    test(`${name}: ${what}`, { skip }, async (t) => run(await open(t)))
  }

  check('two processes spend one burst, and a refusal takes nothing', async ({ one, other }) => {
    assert.equal((await one.take('a', slow, 6, 6)).units, 6)
    assert.equal((await other.take('a', slow, 5, 5)).units, 0)
    assert.equal((await other.take('a', slow, 4, 4)).units, 4)
    assert.equal((await one.take('a', slow, 1, 1)).units, 0)
    assert.equal((await one.take('b', slow, 10, 10)).units, 10)
  })

  check('more than the least is granted as far as it goes', async ({ one, other }) => {
    assert.equal((await one.take('a', slow, 1, 7)).units, 7)
    assert.equal((await other.take('a', slow, 2, 7)).units, 3)
    assert.equal((await one.take('a', slow, 1, 7)).units, 0)
  })

  check('a share and a look contain the time that is owed', async ({ one, other }) => {
    const second = { perSecond: 1, burst: 100 }
    assert.ok((await one.refillMs('a', second)) < 1)
    const { refillMs } = await one.take('a', second, 50, 50)
    assert.ok(Math.abs(refillMs - 50_000) < 1, `${refillMs}`)
    const seen = await other.refillMs('a', second)
    assert.ok(seen > 40_000 && seen <= 50_001, `${seen}`)
    const refused = await other.take('a', second, 60, 60)
    assert.equal(refused.units, 0)
    assert.ok(refused.refillMs > 40_000 && refused.refillMs <= 50_001, `${refused.refillMs}`)
  })

  check('units come back at the rate', async ({ one, pass }) => {
    const rate = { perSecond: 20, burst: 10 }
    assert.equal((await one.take('a', rate, 10, 10)).units, 10)
    assert.equal((await one.take('a', rate, 10, 10)).units, 0)
    await pass(600)
    assert.equal((await one.take('a', rate, 10, 10)).units, 10)
  })

  check('units that are returned can be taken again', async ({ one, other }) => {
    await one.take('a', slow, 10, 10)
    one.give('a', 4)
    one.give('never taken from', 4)
    const end = Date.now() + 5_000
    while ((await other.refillMs('a', slow)) > 601_000) assert.ok(Date.now() < end)
    assert.equal((await other.take('a', slow, 5, 5)).units, 0)
    assert.equal((await other.take('a', slow, 4, 4)).units, 4)
  })

  check('under another rate as many units are owed, at most its burst', async ({ one, other }) => {
    await one.take('a', { perSecond: 1, burst: 8001 }, 8001, 8001)
    const raised = { perSecond: 1000, burst: 8001 }
    const refillMs = await other.refillMs('a', raised)
    assert.ok(refillMs > 7_000 && refillMs <= 8_001.5, `${refillMs}`)
    const lowered = await other.take('a', slow, 1, 1)
    assert.equal(lowered.units, 0)
    assert.ok(lowered.refillMs <= 1_000_001, `${lowered.refillMs}`)
  })

  check('a hundred takes at once are granted to the unit', async ({ one, other }) => {
    const rate = { perSecond: 0.01, burst: 50 }
    const takes = Array.from({ length: 100 }, async (_, n) =>
      (n % 2 ? one : other).take('a', rate, 1, 1),
    )
    const shares = await Promise.all(takes)
    assert.equal(
      shares.reduce((sum, { units }) => sum + units, 0),
      50,
    )
  })
}
