import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createPathLimits } from './path-limits.ts'

function limitsOf(
  change: { rate?: number; blocks?: number; all?: number; own?: number; readersMax?: number } = {},
) {
  const clock = createManualClock()
  const limits = createPathLimits({
    clock,
    perSecond: () => change.rate ?? 2,
    blocksPerSecond: () => change.blocks ?? 3,
    streamsMax: () => change.all ?? 100,
    streamsPerReaderMax: () => change.own ?? 100,
    ...(change.readersMax === undefined ? {} : { readersMax: change.readersMax }),
  })
  /** In a single process, results are synchronous. */
  function admit(reader: Parameters<typeof limits.admit>[0]): () => void {
    const leave = limits.admit(reader)
    assert.ok(!(leave instanceof Promise))
    return leave
  }
  return { limits: { admit }, clock }
}

const key = (keyId: string) => ({ keyId, address: '192.0.2.1' })
const from = (address: string) => ({ keyId: null, address })
const code = (expected: string) => (thrown: unknown) =>
  thrown instanceof Fault && thrown.code === expected

test('a reader takes its requests a second, and has to wait for the next', () => {
  const { limits, clock } = limitsOf()
  limits.admit(key('a'))()
  limits.admit(key('a'))()
  assert.throws(() => limits.admit(key('a')), code('over_rate'))
  limits.admit(key('b'))()
  clock.advance(500)
  limits.admit(key('a'))()
})

test('requests of single blocks have a rate of their own', () => {
  const { limits, clock } = limitsOf()
  const reader = { ...key('a'), blocks: true }
  for (let index = 0; index < 3; index++) limits.admit(reader)()
  assert.throws(() => limits.admit(reader), code('over_rate'))
  limits.admit(key('a'))()
  clock.advance(334)
  limits.admit(reader)()
})

test('without a key the address counts, of IPv6 the whole network', () => {
  const { limits } = limitsOf({ rate: 1 })
  limits.admit(from('2001:db8:1:2::1'))()
  assert.throws(() => limits.admit(from('2001:db8:1:2::9')), code('over_rate'))
  limits.admit(from('2001:db8:1:3::1'))()
})

test('a rate of 0 is none', () => {
  const { limits } = limitsOf({ rate: 0 })
  for (let index = 0; index < 1000; index++) limits.admit(key('a'))()
})

test('answers under way are bounded for each reader and in all, and free when they end', () => {
  const { limits } = limitsOf({ rate: 0, own: 2, all: 3 })
  const first = limits.admit(key('a'))
  limits.admit(key('a'))
  assert.throws(() => limits.admit(key('a')), code('over_rate'))
  limits.admit(key('b'))
  assert.throws(() => limits.admit(key('c')), code('overloaded'))
  first()
  first()
  limits.admit(key('c'))
  assert.throws(() => limits.admit(key('d')), code('overloaded'))
})

test('beyond so many readers the first one starts afresh', () => {
  const { limits } = limitsOf({ rate: 1, readersMax: 2 })
  limits.admit(key('a'))()
  limits.admit(key('b'))()
  limits.admit(key('c'))()
  limits.admit(key('a'))()
  assert.throws(() => limits.admit(key('c')), code('over_rate'))
})
