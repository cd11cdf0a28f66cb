import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCommonFromGethGenesis, Common, Mainnet, Sepolia } from '@ethereumjs/common'
import {
  blobFractionAt,
  findKnownNetwork,
  genesisConfigOf,
  isForkActive,
} from './known-networks.ts'
import type { KnownNetwork } from './known-network.ts'
import { networkTable } from './network-table.ts'

function known(chainId: bigint): KnownNetwork {
  return findKnownNetwork(chainId) ?? assert.fail(`chain ${chainId} is known`)
}

test('the blob fraction is that of the newest fork at or before the time', () => {
  const mainnet = known(1n).blobFractions
  assert.equal(blobFractionAt(mainnet, 1_710_338_134n), null)
  assert.equal(blobFractionAt(mainnet, 1_710_338_135n), 3_338_477n)
  assert.equal(blobFractionAt(mainnet, 1_750_000_000n), 5_007_716n)
  assert.equal(blobFractionAt(mainnet, 1_800_000_000n), 11_684_671n)
  assert.equal(findKnownNetwork(4_242n), null)
  assert.equal(blobFractionAt([], 1_800_000_000n), null)
})

test('hashes are hashes, schedules are in order, names and chain IDs are unique', () => {
  for (const network of networkTable) {
    if (network.genesisHash !== null) assert.match(network.genesisHash, /^0x[0-9a-f]{64}$/)
    const froms = network.blobFractions.map(({ from }) => from)
    assert.deepEqual(
      froms,
      froms.toSorted((one, other) => (one < other ? 1 : -1)),
    )
    for (const kind of ['block', 'time'] as const) {
      const places = network.forks.flatMap((fork) =>
        kind in fork ? [(fork as unknown as Record<string, bigint>)[kind] as bigint] : [],
      )
      assert.deepEqual(
        places,
        places.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)),
        network.name,
      )
    }
    assert.equal(network.rules === 'none', network.forks.length === 0)
    assert.match(network.name, /^[a-z0-9][a-z0-9-]{0,62}$/)
  }
  const names = networkTable.flatMap(({ name, aliases }) => [name, ...aliases])
  assert.equal(new Set(names).size, names.length)
  assert.equal(new Set(networkTable.map(({ chainId }) => chainId)).size, networkTable.length)
})

test('a fork is active from its time on, and one by block always', () => {
  const { forks } = known(10n)
  assert.equal(isForkActive(forks, 'fjord', 1_720_627_200n), false)
  assert.equal(isForkActive(forks, 'fjord', 1_720_627_201n), true)
  assert.equal(isForkActive(forks, 'regolith', 0n), true)
  assert.equal(isForkActive(forks, 'azul', 2_000_000_000n), false)
})

test('the rules made from the table are those of Ethereum at every fork', () => {
  for (const [chainId, chain] of [
    [1n, Mainnet],
    [11_155_111n, Sepolia],
  ] as const) {
    const expected = new Common({ chain })
    const common = rulesOf(known(chainId))
    for (const fork of known(chainId).forks) {
      if (['bpo1', 'bpo2', 'paris', 'dao', 'eip155'].includes(fork.name)) continue
      const point = 'time' in fork ? timePoint(fork.time) : { blockNumber: fork.block }
      for (const one of [common, expected]) one.setHardforkBy(point)
      assert.equal(common.hardfork(), expected.hardfork(), fork.name)
    }
  }
})

test('the rules of the OP Stack are those of Ethereum that its forks bring', () => {
  const common = rulesOf(known(10n))
  for (const [time, fork] of [
    // After the merge and before the first fork by time.
    [1_704_992_400n, 'mergeNetsplitBlock'],
    [1_704_992_401n, 'shanghai'],
    [1_710_374_401n, 'cancun'],
    [1_746_806_401n, 'prague'],
    [1_783_526_401n, 'osaka'],
  ] as const) {
    common.setHardforkBy(timePoint(time))
    assert.equal(common.hardfork(), fork)
  }
  assert.equal(genesisConfigOf(known(42_161n)), null)
})

function timePoint(timestamp: bigint) {
  return { blockNumber: 200_000_000n, timestamp }
}

function rulesOf(network: KnownNetwork): Common {
  const blob = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
  const config = genesisConfigOf(network) ?? assert.fail('rules')
  const blobSchedule = Object.fromEntries(
    ['cancun', 'prague', 'osaka', 'bpo1', 'bpo2'].map((name) => [name, blob]),
  )
  const depositContractAddress = `0x${'00'.repeat(20)}`
  return createCommonFromGethGenesis(
    {
      config: { ...config, blobSchedule, depositContractAddress } as never,
      difficulty: '0x0',
      gasLimit: '0x0',
      nonce: '0x0000000000000000',
      timestamp: '0x0',
      alloc: {},
    } as never,
    {},
  )
}
