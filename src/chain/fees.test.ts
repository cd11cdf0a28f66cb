// Fee arithmetic at its edges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobBaseFee, nextBaseFee } from './fees.ts'

test('the base fee stays at target, rises by an eighth at most and by one at least', () => {
  const header = { baseFeePerGas: 1_000_000_000n, gasLimit: 30_000_000n }
  assert.equal(nextBaseFee({ ...header, gasUsed: 15_000_000n }), 1_000_000_000n)
  assert.equal(nextBaseFee({ ...header, gasUsed: 30_000_000n }), 1_125_000_000n)
  assert.equal(nextBaseFee({ ...header, gasUsed: 0n }), 875_000_000n)
  assert.equal(nextBaseFee({ baseFeePerGas: 7n, gasLimit: 30_000_000n, gasUsed: 16_000_000n }), 8n)
  assert.equal(nextBaseFee({ baseFeePerGas: 7n, gasLimit: 1n, gasUsed: 1n }), 7n)
})

test('the blob base fee is one without excess and grows with e', () => {
  assert.equal(blobBaseFee(0n, 3_338_477n), 1n)
  assert.equal(blobBaseFee(2_314_057n, 3_338_477n), 1n)
  assert.equal(blobBaseFee(2_314_058n, 3_338_477n), 2n)
  assert.equal(blobBaseFee(10n * 1024n * 1024n, 3_338_477n), 23n)
})
