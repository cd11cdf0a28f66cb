// The store against independent data: cases of the consensus specification, and mainnet with 512 members.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fromHex, toHex } from '../base/hex.ts'
import { minimalSpec } from '../../test/fakes/beacon/beacon-chain.ts'
import { decompressKeys, verifyAggregate } from './bls.ts'
import { parseBootstrap, parseUpdate } from './light-data.ts'
import { type BeaconSpec, findBeaconSpec, forkNames } from './spec.ts'
import { rootOfHeader } from './ssz.ts'
import { advanceStore, startStore } from './store.ts'

type Case = {
  readonly genesisValidatorsRoot: string
  readonly trustedBlockRoot: string
  readonly epochs: Readonly<Record<string, number>>
  readonly versions: Readonly<Record<string, string>>
  readonly bootstrap: unknown
  readonly steps: readonly {
    readonly update: unknown
    readonly currentSlot: number
    readonly finalized: string
    readonly optimistic: string
  }[]
}
const signatures = { decompress: decompressKeys, verify: verifyAggregate }

function read(name: string): unknown {
  const path = new URL(`../../test/beacon/data/${name}`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8'))
}

function specOf({ genesisValidatorsRoot, epochs, versions }: Case): BeaconSpec {
  return minimalSpec({
    genesisValidatorsRoot: fromHex(genesisValidatorsRoot),
    forks: forkNames.flatMap((name) => {
      const epoch = epochs[name]
      return epoch === undefined ? [] : [{ name, epoch, version: fromHex(versions[name] ?? '0x') }]
    }),
  })
}

for (const [name, one] of Object.entries(read('spec-cases.json') as Record<string, Case>)) {
  test(`the store has the headers of the specification's case ${name} after each step`, () => {
    const spec = specOf(one)
    const bootstrap = parseBootstrap(spec, one.bootstrap)
    let store = startStore(spec, fromHex(one.trustedBlockRoot), bootstrap, signatures)
    for (const { update, currentSlot, finalized, optimistic } of one.steps) {
      const parsed = parseUpdate(spec, update)
      store = advanceStore(spec, store, parsed, currentSlot, signatures).store
      assert.equal(toHex(store.finalized.root), finalized)
      assert.equal(toHex(store.optimistic.root), optimistic)
    }
  })
}

test('the store follows mainnet from one period into the next, with 512 members', () => {
  const spec = findBeaconSpec(1n)
  assert.ok(spec !== null)
  const data = read('mainnet.json') as { bootstrap: unknown; updates: readonly unknown[] }
  const bootstrap = parseBootstrap(spec, data.bootstrap)
  let store = startStore(spec, rootOfHeader(bootstrap.header.beacon), bootstrap, signatures)
  assert.equal(
    toHex(store.finalized.blockHash),
    '0xd131b92cb98455882c2c7b4ebf55dc6d02cc47e0e55a4d9570dea498affd6e74',
  )
  for (const update of data.updates) {
    const result = advanceStore(spec, store, parseUpdate(spec, update), 7_200_000, signatures)
    assert.equal(result.outcome, 'applied')
    store = result.store
  }
  assert.equal(store.finalized.slot, 7_070_047)
  assert.equal(store.optimistic.slot, 7_070_142)
  assert.notEqual(store.next, null)
})
