import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogChain } from '../../../test/fakes/upstream/log-chain.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createRefusedSearches } from './refused-searches.ts'

const all = { addresses: [], topics: [] }
const fault = new Fault('over_range')
const [block, next] = createLogChain([[], []]).blocks
assert(block !== undefined && next !== undefined)
const range = { newest: block, oldest: 0n }

function create(entriesMax = 10) {
  let now = 0
  const clock = { ...systemClock, monotonic: () => now }
  const refused = createRefusedSearches({ entriesMax, ttlMs: 100, clock })
  return { refused, pass: (ms: number) => void (now += ms) }
}

test('the same search is refused again from memory, until its time is over', () => {
  const { refused, pass } = create()
  assert.equal(refused.find(range, all), null)
  refused.add(range, all, fault)
  assert.equal(refused.find({ ...range }, { addresses: [], topics: [] }), fault)
  pass(100)
  assert.equal(refused.find(range, all), null)
})

test('another filter, range or block is another search', () => {
  const { refused } = create()
  refused.add(range, all, fault)
  const topic = new Uint8Array(32)
  assert.equal(refused.find(range, { ...all, topics: [null] }), null)
  assert.equal(refused.find(range, { ...all, topics: [[topic]] }), null)
  assert.equal(refused.find(range, { ...all, addresses: [new Uint8Array(20)] }), null)
  assert.equal(refused.find({ ...range, oldest: 1n }, all), null)
  assert.equal(refused.find({ ...range, newest: next }, all), null)
})

test('beyond its size the search refused first is forgotten', () => {
  const { refused } = create(2)
  for (const oldest of [0n, 1n, 2n]) refused.add({ ...range, oldest }, all, fault)
  const known = [0n, 1n, 2n].map((oldest) => refused.find({ ...range, oldest }, all))
  assert.deepEqual(known, [null, fault, fault])
})
