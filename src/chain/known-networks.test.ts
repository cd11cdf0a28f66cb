import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobFractionAt, findKnownNetwork } from './known-networks.ts'

test('the blob fraction is that of the newest fork at or before the time', () => {
  const mainnet = findKnownNetwork(1n)?.blobFractions ?? []
  assert.equal(blobFractionAt(mainnet, 1_710_338_134n), null)
  assert.equal(blobFractionAt(mainnet, 1_710_338_135n), 3_338_477n)
  assert.equal(blobFractionAt(mainnet, 1_750_000_000n), 5_007_716n)
  assert.equal(blobFractionAt(mainnet, 1_800_000_000n), 11_684_671n)
  assert.equal(findKnownNetwork(4_242n), null)
  assert.equal(blobFractionAt([], 1_800_000_000n), null)
})

test('schedules are newest first, and hashes are hashes', () => {
  for (const chainId of [1n, 11_155_111n, 560_048n]) {
    const network = findKnownNetwork(chainId)
    assert.match(network?.genesisHash ?? '', /^0x[0-9a-f]{64}$/)
    const times = network?.blobFractions.map(({ from }) => from) ?? []
    assert.deepEqual(
      times,
      times.toSorted((one, other) => (one < other ? 1 : -1)),
    )
  }
})
