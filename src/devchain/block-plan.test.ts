import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTimestamp, noBlockPlan, planAfterBlock } from './block-plan.ts'

test('a block has the time of the clock and its offset, and is later than its parent', () => {
  assert.equal(nextTimestamp(noBlockPlan, 100n, 150n), 150n)
  assert.equal(nextTimestamp({ ...noBlockPlan, offset: 60n }, 100n, 150n), 210n)
  assert.equal(nextTimestamp(noBlockPlan, 150n, 150n), 151n)
  assert.equal(nextTimestamp({ ...noBlockPlan, offset: -100n }, 150n, 200n), 151n)
})

test('a time that was set holds for one block, and later blocks go on from there', () => {
  const plan = { ...noBlockPlan, offset: 5n, nextTimestamp: 1000n, nextBaseFee: 7n }
  assert.equal(nextTimestamp(plan, 100n, 150n), 1000n)
  const left = planAfterBlock(plan, 1000n, 150n)
  assert.deepEqual(left, { ...noBlockPlan, offset: 850n })
  assert.equal(nextTimestamp(left, 1000n, 160n), 1010n)
})

test('an interval counts from the parent, whatever the clock says', () => {
  const plan = { ...noBlockPlan, timestampInterval: 12n }
  assert.equal(nextTimestamp(plan, 100n, 5000n), 112n)
  assert.equal(planAfterBlock(plan, 112n, 5000n), plan)
})
