import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePlan, encodePlan } from './saved-plan.ts'
import { type ChainPlan, noChainPlan } from './block-plan.ts'

test('a plan is read back as it was saved', () => {
  const full: ChainPlan = {
    blocks: {
      offset: -5n,
      nextTimestamp: 2n ** 63n,
      timestampInterval: 12n,
      nextBaseFee: 0n,
      nextPrevRandao: new Uint8Array(32).fill(1),
      coinbase: new Uint8Array(20).fill(2),
      gasLimit: 30_000_000n,
    },
    mining: { auto: false, intervalMs: [1000, 2000] },
  }
  for (const plan of [full, noChainPlan]) assert.deepEqual(decodePlan(encodePlan(plan)), plan)
})

test('a plan without a member that came later has its default', () => {
  assert.deepEqual(decodePlan('{}'), noChainPlan)
})

test('a damaged plan is an error for the operator', () => {
  for (const json of ['', '{"offset":"x"}', 'null']) {
    assert.throws(() => decodePlan(json), /saved plan of the embedded chain is damaged/)
  }
})
