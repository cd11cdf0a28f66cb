// Breaks each assert of sync-protocol.md alone, on a simulated chain with real signatures.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fromHex, toHex } from '../base/hex.ts'
import {
  type BeaconChain,
  createBeaconChain,
  emptyHeader,
  type Json,
  minimalSpec,
} from '../../test/fakes/beacon/beacon-chain.ts'
import { decompressKeys, verifyAggregate } from './bls.ts'
import { parseBootstrap, parseUpdate } from './light-data.ts'
import {
  advanceStore,
  FinalityContradiction,
  InvalidData,
  type LightStore,
  type Outcome,
  type Rule,
  startStore,
} from './store.ts'

const signatures = { decompress: decompressKeys, verify: verifyAggregate }
const spec = minimalSpec()
const chain = createBeaconChain({ spec })
const noNode = toHex(new Uint8Array(32))

function start(of: BeaconChain = chain, slot = 24): LightStore {
  const bootstrap = parseBootstrap(of.spec, of.bootstrap(slot))
  return startStore(of.spec, of.rootAt(slot), bootstrap, signatures)
}

/** A store with the next committee, finalized at slot 24. */
function started(of: BeaconChain = chain): LightStore {
  return take(start(of), of.update(45), 46, of).store
}

function take(
  store: LightStore,
  update: Json,
  currentSlot: number,
  { spec: ofChain }: BeaconChain = chain,
): { readonly store: LightStore; readonly outcome: Outcome } {
  return advanceStore(ofChain, store, parseUpdate(ofChain, update), currentSlot, signatures)
}

function refuses(rule: Rule, run: () => unknown): void {
  assert.throws(run, (error) => error instanceof InvalidData && error.rule === rule)
}

/** `json` with the member at `path` replaced. */
function changed(json: Json, path: string, value: unknown): Json {
  const copy = structuredClone(json) as Record<string, unknown>
  const names = path.split('.')
  const last = names.pop() ?? ''
  let at = copy
  for (const name of names) at = at[name] as Record<string, unknown>
  at[last] = value
  return copy
}

suite('a store', () => {
  test('follows the chain over periods, and changes its committee', () => {
    let store = start()
    assert.equal(store.next, null)
    for (const slot of [45, 100, 130, 170, 220]) {
      const result = take(store, chain.update(slot), slot + 1)
      assert.equal(result.outcome, 'applied')
      store = result.store
      assert.equal(store.optimistic.slot, slot)
      assert.equal(store.finalized.slot, (Math.floor(slot / 8) - 2) * 8)
      assert.deepEqual(store.finalized.root, chain.rootAt(store.finalized.slot))
      assert.equal(store.finalized.signers, 32)
    }
  })

  test('takes finality and optimistic updates, and learns the next committee later', () => {
    const before = started()
    const next = take(before, chain.finalityUpdate(85), 86)
    assert.equal(next.store.finalized.slot, 64)
    assert.equal(next.store.next, null, 'a finality update has no committee')
    assert.equal(take(next.store, chain.update(86), 87).store.next === null, false)
    const head = take(before, chain.optimisticUpdate(60), 61).store
    assert.equal(head.optimistic.slot, 60)
    assert.equal(head.finalized.slot, before.finalized.slot)
  })

  test('takes the next committee from an update older than its finalized header', () => {
    const store = start(chain, 40)
    const result = take(store, chain.update(39), 41)
    assert.equal(result.outcome, 'applied')
    assert.notEqual(result.store.next, null)
    assert.equal(result.store.finalized.slot, 40)
    assert.equal(result.store.optimistic.slot, 40)
  })

  test('does not verify again what it has', () => {
    const update = chain.update(45)
    const { store } = take(start(), update, 46)
    const verify = () => assert.fail('verified')
    const again = advanceStore(spec, store, parseUpdate(spec, update), 46, {
      ...signatures,
      verify,
    })
    assert.equal(again.outcome, 'old')
    assert.equal(again.store, store)
  })

  test('stays on a chain with missed slots', () => {
    const isMissed = (slot: number): boolean => slot % 3 === 0 || slot === 16
    const gaps = createBeaconChain({ spec, isMissed })
    const result = take(start(gaps, gaps.blockAt(24)), gaps.update(46), 60, gaps)
    assert.equal(result.store.finalized.slot, gaps.blockAt(24))
    assert.equal(result.store.optimistic.slot, 46)
  })

  test('needs two thirds of the committee', () => {
    const store = started()
    const few = take(store, chain.update(60, { signers: 21 }), 61)
    assert.equal(few.outcome, 'short')
    assert.equal(few.store, store)
    const enough = take(store, chain.update(60, { signers: 22 }), 61)
    assert.equal(enough.outcome, 'applied')
    assert.equal(enough.store.optimistic.signers, 22)
  })

  test('keeps the header with more signers if two of one slot are signed', () => {
    const other = createBeaconChain({ spec, salt: 'other' })
    const first = take(started(), chain.optimisticUpdate(60, { signers: 25 }), 61).store
    const fewer = take(first, other.optimisticUpdate(60, { signers: 24 }), 61)
    assert.equal(fewer.outcome, 'equivocation')
    assert.deepEqual(fewer.store.optimistic.root, chain.rootAt(60))
    const more = take(first, other.optimisticUpdate(60, { signers: 26 }), 61)
    assert.equal(more.outcome, 'equivocation')
    assert.deepEqual(more.store.optimistic.root, other.rootAt(60))
  })

  test('stops at a finalized header that contradicts its own', () => {
    const other = createBeaconChain({ spec, salt: 'other' })
    const store = started()
    assert.equal(store.finalized.slot, 24)
    assert.throws(() => take(store, other.finalityUpdate(46), 47), FinalityContradiction)
  })

  test('never goes back to an older finalized header', () => {
    const later = take(started(), chain.update(60), 61).store
    assert.equal(later.finalized.slot, 40)
    assert.equal(take(later, chain.finalityUpdate(46), 61).outcome, 'old')
  })
})

suite('forks', () => {
  const fork = (name: 'capella' | 'deneb' | 'electra' | 'gloas', epoch: number) => ({
    name,
    epoch,
    version: Uint8Array.of(9, 0, 0, epoch),
  })

  for (const [before, after] of [
    ['capella', 'deneb'],
    ['deneb', 'electra'],
    ['electra', 'gloas'],
  ] as const) {
    test(`the store passes from ${before} to ${after} at a period boundary`, () => {
      const forked = createBeaconChain({
        spec: minimalSpec({ forks: [fork(before, 0), fork(after, 8)] }),
        asGloas: after === 'gloas',
      })
      let store = start(forked)
      // The committee signs slot 63 in slot 64, under the fork version of slot 63.
      for (const slot of [45, 63, 64, 90, 130]) {
        store = take(store, forked.update(slot), slot + 1, forked).store
        assert.equal(store.optimistic.slot, slot)
      }
      assert.equal(store.finalized.slot, 112)
    })
  }

  test('a signature under the version of another fork does not count', () => {
    const forked = createBeaconChain({
      spec: minimalSpec({ forks: [fork('deneb', 0), fork('electra', 8)] }),
    })
    const version = Uint8Array.of(9, 0, 0, 8)
    const update = forked.update(63, { version })
    refuses('signature', () => take(started(forked), update, 64, forked))
  })

  test('a header before Capella is refused', () => {
    const late = minimalSpec({ forks: [fork('electra', 4)] })
    const bootstrap = parseBootstrap(spec, chain.bootstrap(24))
    refuses('header', () => startStore(late, chain.rootAt(24), bootstrap, signatures))
  })

  test('members of Deneb in a header of Capella must be zero', () => {
    const forked = createBeaconChain({
      spec: minimalSpec({ forks: [fork('capella', 0), fork('deneb', 8)] }),
    })
    const update = forked.finalityUpdate(45)
    const path = 'attested_header.execution'
    const zeros = changed(
      changed(update, `${path}.blob_gas_used`, '0'),
      `${path}.excess_blob_gas`,
      '0',
    )
    assert.equal(take(start(forked), zeros, 46, forked).outcome, 'applied')
    const one = changed(zeros, `${path}.blob_gas_used`, '1')
    refuses('header', () => take(start(forked), one, 46, forked))
  })
})

suite('a bootstrap is refused', () => {
  const bootstrap = chain.bootstrap(24)
  const startWith = (json: Json, root = chain.rootAt(24)): LightStore =>
    startStore(spec, root, parseBootstrap(spec, json), signatures)

  test('with a block root other than the checkpoint', () => {
    refuses('checkpoint', () => startWith(bootstrap, chain.rootAt(25)))
    refuses('checkpoint', () => startWith(changed(bootstrap, 'header.beacon.proposer_index', '99')))
  })

  test('with an execution block that is not of the beacon block', () => {
    refuses('header', () => startWith(changed(bootstrap, 'header.execution.block_hash', noNode)))
    refuses('header', () => startWith(changed(bootstrap, 'header.execution_branch.0', noNode)))
  })

  test('with another committee, or without its branch', () => {
    const { current_sync_committee: other } = chain.bootstrap(70)
    refuses('committee-branch', () =>
      startWith(changed(bootstrap, 'current_sync_committee', other)),
    )
    refuses('committee-branch', () =>
      startWith(changed(bootstrap, 'current_sync_committee_branch.2', noNode)),
    )
  })
})

suite('an update is refused', () => {
  const update = chain.update(60)
  const sends = (update: Json, currentSlot = 61, store = started()): void =>
    void take(store, update, currentSlot)

  test('without any signer', () => {
    refuses('participants', () => sends(chain.update(60, { signers: 0 })))
  })

  test('with an attested execution block that is not of the beacon block', () => {
    refuses('header', () => sends(changed(update, 'attested_header.execution.gas_used', '5')))
  })

  test('that is signed later than now, or not after its header', () => {
    refuses('slots', () => sends(update, 60))
    refuses('slots', () => sends(changed(update, 'signature_slot', '60')))
  })

  test('with a finalized header after the attested one', () => {
    const later = chain.finalityUpdate(100)['finalized_header']
    refuses('slots', () => sends(changed(update, 'finalized_header', later)))
  })

  test('that skips a period', () => {
    refuses('period', () => sends(chain.update(130), 131))
  })

  test('that is of the next period while the next committee is unknown', () => {
    refuses('period', () => sends(chain.update(70), 71, start()))
  })

  test('that is signed by a committee of the past', () => {
    const later = take(started(), chain.update(100), 101).store
    refuses('period', () => sends(chain.update(60), 101, later))
  })

  test('with a finality branch that does not lead to its header', () => {
    refuses('finality-branch', () => sends(changed(update, 'finality_branch.3', noNode)))
    const other = chain.finalityUpdate(50)['finalized_header']
    refuses('finality-branch', () => sends(changed(update, 'finalized_header', other)))
  })

  test('with a finalized execution block that is not of the beacon block', () => {
    refuses('header', () => sends(changed(update, 'finalized_header.execution.block_hash', noNode)))
  })

  test('with a finalized header but without its branch', () => {
    const none = Array.from({ length: 7 }, () => noNode)
    refuses('finality-absent', () => sends(changed(update, 'finality_branch', none)))
  })

  test('with a header for the zero root that genesis finalizes', () => {
    const early = createBeaconChain({ spec })
    const store = start(early, 8)
    const update = early.update(10)
    assert.equal(take(store, update, 11, early).outcome, 'applied')
    assert.deepEqual(update['finalized_header'], emptyHeader)
    const wrong = changed(update, 'finalized_header.beacon.proposer_index', '1')
    refuses('finality-absent', () => take(store, wrong, 11, early))
  })

  test('with a next committee that its branch does not prove', () => {
    const { next_sync_committee: other } = chain.update(100)
    refuses('next-committee-branch', () => sends(changed(update, 'next_sync_committee', other)))
    refuses('next-committee-branch', () =>
      sends(changed(update, 'next_sync_committee_branch.1', noNode)),
    )
  })

  test('with a next committee but without its branch', () => {
    const none = Array.from({ length: 6 }, () => noNode)
    refuses('next-committee-absent', () =>
      sends(changed(update, 'next_sync_committee_branch', none)),
    )
  })

  test('with another next committee than the known one', () => {
    const firstKey = (period: number): number => (period === 1 ? 500 : 3 * period)
    const other = createBeaconChain({ spec, firstKey })
    refuses('next-committee-changed', () => sends(other.update(60)))
  })

  test('with a signature of other members, of another header or of another network', () => {
    const { sync_aggregate: other } = chain.update(60, { signers: 31 })
    const { sync_committee_signature: signature } = other as Record<string, string>
    refuses('signature', () =>
      sends(changed(update, 'sync_aggregate.sync_committee_signature', signature)),
    )
    const { sync_aggregate: aggregate } = chain.update(59)
    refuses('signature', () => sends(changed(update, 'sync_aggregate', aggregate)))
    const elsewhere = createBeaconChain({
      spec: minimalSpec({ genesisValidatorsRoot: new Uint8Array(32).fill(1) }),
    })
    refuses('signature', () => sends(elsewhere.update(60)))
  })

  test('that is signed by a committee of the same period on another chain', () => {
    const other = createBeaconChain({ spec, firstKey: (period) => 3 * period + 1 })
    refuses('signature', () => sends(other.finalityUpdate(60)))
  })
})

test('data of the wrong form is refused by name, at any member', () => {
  const update = chain.update(60)
  const wrong: readonly (readonly [string, unknown])[] = [
    ['attested_header', null],
    ['attested_header.beacon.slot', '-1'],
    ['attested_header.beacon.slot', String(2n ** 60n)],
    ['attested_header.beacon.slot', 5],
    ['attested_header.beacon.state_root', '0x00'],
    ['attested_header.execution.extra_data', `0x${'00'.repeat(33)}`],
    ['attested_header.execution.base_fee_per_gas', String(2n ** 256n)],
    ['attested_header.execution_branch', Array.from({ length: 17 }, () => noNode)],
    ['next_sync_committee.pubkeys', []],
    ['next_sync_committee.pubkeys.3', '0x00'],
    ['finality_branch', 'none'],
    ['sync_aggregate.sync_committee_bits', '0xffffffffff'],
    ['sync_aggregate.sync_committee_signature', noNode],
    ['signature_slot', undefined],
  ]
  for (const [path, value] of wrong) {
    assert.throws(() => parseUpdate(spec, changed(update, path, value)), { name: 'UnreadableData' })
  }
  for (const none of [null, [], 'text', 7]) {
    assert.throws(() => parseUpdate(spec, none), { name: 'UnreadableData' })
    assert.throws(() => parseBootstrap(spec, none), { name: 'UnreadableData' })
  }
})

test('the committee of the store has the keys in the order of the bits', () => {
  const { current } = start()
  const first = fromHex((chain.bootstrap(24)['current_sync_committee'] as never)['pubkeys'][0])
  assert.deepEqual(current.points.subarray(0, 96), decompressKeys(first))
})
