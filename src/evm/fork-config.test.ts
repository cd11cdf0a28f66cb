// The result of eth_config for a fork schedule: before, between and after its forks.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Common } from '@ethereumjs/common'
import { chainFolder } from '../../test/fakes/chain-vectors.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { defaultGenesis } from '../devchain/default-genesis.ts'
import { forkConfigs } from './fork-config.ts'
import { parseGenesis } from './genesis.ts'
import { findKnownSchedule } from '../proved-calls/known-schedules.ts'
import { createCrypto } from './chain-crypto.ts'
import { createRulesOf } from './chain-rules.ts'

const zero = new Uint8Array(32)

test('mainnet fork ids are those of EIP-2124 and EIP-6122', () => {
  const genesis = {
    ...defaultGenesis,
    timestamp: 0n,
    config: {
      chainId: 1,
      homesteadBlock: 1150000,
      daoForkBlock: 1920000,
      eip150Block: 2463000,
      eip155Block: 2675000,
      eip158Block: 2675000,
      byzantiumBlock: 4370000,
      constantinopleBlock: 7280000,
      petersburgBlock: 7280000,
      istanbulBlock: 9069000,
      muirGlacierBlock: 9200000,
      berlinBlock: 12244000,
      londonBlock: 12965000,
      arrowGlacierBlock: 13773000,
      grayGlacierBlock: 15050000,
      shanghaiTime: 1681338455,
      cancunTime: 1710338135,
    },
  }
  const hash = fromHex('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
  const at = (time: bigint) => forkConfigs(genesis, hash, time)
  assert.equal(toHex(at(0n).current.forkId), '0xf0afd0e3')
  assert.equal(toHex(at(1681338455n).current.forkId), '0xdce96c2d')
  assert.equal(toHex(at(1710338135n).current.forkId), '0x9f3d2254')
})

test('without a deposit contract in the genesis, eth_config reports the one of mainnet (EIP-6110)', () => {
  const genesis = { ...defaultGenesis, config: { chainId: 1, pragueTime: 0 } }
  const { systemContracts } = forkConfigs(genesis, zero, genesis.timestamp).current
  assert.equal(
    systemContracts['DEPOSIT_CONTRACT_ADDRESS'],
    '0x00000000219ab540356cbb839cbe05303d7705fa',
  )
})

test('the active fork has its own contracts and limits, and the next fork is reported', () => {
  const file = readFileSync(join(chainFolder, 'genesis.json'), 'utf8')
  const genesis = parseGenesis(JSON.parse(file))
  const before = forkConfigs(genesis, zero, 389n)
  assert.equal(before.current.activationTime, 0)
  assert.equal(before.current.blobSchedule, null)
  assert.deepEqual(before.current.systemContracts, {})
  assert.equal(Object.keys(before.current.precompiles).length, 9)
  assert.deepEqual([before.next?.activationTime, before.last?.activationTime], [390, 540])

  const prague = forkConfigs(genesis, zero, 479n)
  assert.equal(prague.current.activationTime, 450)
  assert.deepEqual(prague.current.blobSchedule, {
    target: 6,
    max: 9,
    baseFeeUpdateFraction: 5007716,
  })
  assert.equal(prague.current.precompiles['P256VERIFY'], undefined)
  assert.equal(prague.next?.precompiles['P256VERIFY'], `0x${'100'.padStart(40, '0')}`)
  assert.notDeepEqual(prague.current.forkId, prague.next?.forkId)

  const end = forkConfigs(genesis, zero, 540n)
  assert.deepEqual([end.current.activationTime, end.next, end.last], [540, null, null])
})

test('forks in force at genesis count for no fork id and have no successor', () => {
  const { current, next } = forkConfigs(defaultGenesis, zero, defaultGenesis.timestamp)
  assert.equal(next, null)
  assert.equal(current.activationTime, 0)
  assert.equal(current.blobSchedule?.max, 9)
  // CRC-32 of only the genesis hash, 32 zero bytes.
  assert.equal(toHex(current.forkId), '0x190a55ad')
})

test('the rules of each fork have the EIPs that the library lists for it', () => {
  const config = findKnownSchedule(1n)
  assert.ok(config !== null)
  const rules = createRulesOf(config, createCrypto())
  const latest = rules.at({ number: 100_000_000n, timestamp: 10n ** 11n })
  const lists = new Set<string>()
  for (const { name } of latest.hardforks()) {
    const copy = latest.copy()
    copy.setHardfork(name)
    const eips = Array.from({ length: 10_000 }, (_, eip) => eip)
    const found = eips.filter((eip) => copy.isActivatedEIP(eip))
    const listed = eips.filter((eip) => Common.prototype.isActivatedEIP.call(copy, eip))
    assert.deepEqual(found, listed, name)
    lists.add(found.join())
  }
  assert.ok(lists.size >= 10)
})
