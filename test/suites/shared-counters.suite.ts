// The guarantees of every SharedCounters.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SharedCounters } from '../../src/access/limits/period-count.ts'

export function testSharedCounters(
  name: string,
  open: (t: TestContext) => SharedCounters | Promise<SharedCounters>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options
  const ends = Date.UTC(2099, 0, 1)

  test(
    `${name}: a counter that does not exist starts with the sum that a node knows`,
    { skip },
    async (t) => {
      const counters = await open(t)
      assert.equal(await counters.add('a', ends, 100, 5), 105)
      assert.equal(await counters.add('a', ends, 90, 5), 110)
      assert.equal(await counters.add('a', ends, 0, -60), 50)
      assert.equal(await counters.add('a', ends, 110, 0), 50)
      assert.equal(await counters.add('b', ends, 0, 1), 1)
    },
  )

  test(`${name}: large sums and concurrent additions are exact`, { skip }, async (t) => {
    const counters = await open(t)
    const known = 2 ** 52
    const sums = Array.from({ length: 50 }, async () => counters.add('a', ends, known, 3))
    assert.equal(Math.max(...(await Promise.all(sums))), known + 150)
  })

  test(`${name}: a counter whose period has ended starts again`, { skip }, async (t) => {
    const counters = await open(t)
    await counters.add('a', Date.UTC(2020, 0, 1), 7, 1)
    assert.equal(await counters.add('a', ends, 0, 1), 1)
  })
}
