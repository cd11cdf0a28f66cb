import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBeaconSpec, forkAt, periodAt, signersNeeded, slotAt, timeOfSlot } from './spec.ts'

const mainnet = findBeaconSpec(1n)
assert.ok(mainnet !== null)

test('slots, periods and forks of mainnet are those of its blocks', () => {
  // Slot 7,069,376 has execution block 17,883,333 with timestamp 1,691,656,535.
  assert.equal(timeOfSlot(mainnet, 7_069_376), 1_691_656_535_000)
  assert.equal(slotAt(mainnet, 1_691_656_535_000), 7_069_376)
  assert.equal(slotAt(mainnet, 1_691_656_546_999), 7_069_376)
  assert.equal(slotAt(mainnet, 0), 0)
  assert.equal(periodAt(mainnet, 7_069_376), 862)
  assert.equal(forkAt(mainnet, 194_048 * 32)?.name, 'capella')
  assert.equal(forkAt(mainnet, 269_568 * 32 - 1)?.name, 'capella')
  assert.equal(forkAt(mainnet, 269_568 * 32)?.name, 'deneb')
  assert.equal(forkAt(mainnet, 20_000_000)?.name, 'fulu')
  assert.equal(forkAt(mainnet, 0), null)
})

test('two thirds of a committee are 342 of 512 and 22 of 32', () => {
  assert.equal(signersNeeded(mainnet), 342)
  assert.equal(signersNeeded({ ...mainnet, committeeSize: 32 }), 22)
})

test('every known network has a schedule in order, and an unknown chain has none', () => {
  for (const chainId of [1n, 11_155_111n, 560_048n]) {
    const epochs = findBeaconSpec(chainId)?.forks.map(({ epoch }) => epoch) ?? []
    assert.deepEqual(
      epochs,
      epochs.toSorted((a, b) => a - b),
    )
    assert.equal(epochs.length, 4)
  }
  assert.equal(findBeaconSpec(1337n), null)
})
