import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBeaconChain, minimalSpec } from '../../test/fakes/beacon/beacon-chain.ts'
import { decompressKeys, verifyAggregate } from './bls.ts'
import { parseBootstrap, parseUpdate } from './light-data.ts'
import { decodeStore, encodeStore } from './saved-store.ts'
import { advanceStore, startStore } from './store.ts'

const spec = minimalSpec()
const chain = createBeaconChain({ spec })
const signatures = { decompress: decompressKeys, verify: verifyAggregate }
const checkpoint = chain.rootAt(24)
const begun = startStore(spec, checkpoint, parseBootstrap(spec, chain.bootstrap(24)), signatures)
const { store } = advanceStore(spec, begun, parseUpdate(spec, chain.update(60)), 61, signatures)

test('a saved store is the same again, at its finalized header', () => {
  for (const one of [begun, store]) {
    const read = decodeStore(spec, encodeStore(spec, { checkpoint, store: one }))
    assert.deepEqual(read, { checkpoint, store: { ...one, optimistic: one.finalized } })
  }
})

test('a damaged one, and one of another chain, is not used', () => {
  const saved = encodeStore(spec, { checkpoint, store })
  const state = saved.state.replace('"slot":40', '"slot":41')
  assert.notEqual(state, saved.state)
  assert.equal(decodeStore(spec, { ...saved, state }), null)
  const other = minimalSpec({ genesisValidatorsRoot: new Uint8Array(32) })
  assert.equal(decodeStore(other, saved), null)
  assert.equal(decodeStore({ ...spec, committeeSize: 512 }, saved), null)
})
