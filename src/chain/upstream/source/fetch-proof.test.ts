import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { testChain } from '../../../../test/fakes/chain-facts.ts'
import { readChain } from '../../../../test/fakes/chain-vectors.ts'
import { openStubChain, type StubChain } from '../../../../test/fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../../../../test/fakes/upstream/stub-upstream.ts'
import {
  openUpstreamContent,
  provedBlock,
} from '../../../../test/fakes/upstream/upstream-content.ts'
import { Fault } from '../../../base/fault.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import { findAccount, readCode, readStorage } from '../../state.ts'
import { completeRead } from '../../read.ts'

const chain: StubChain = await openStubChain()
const { signal } = new AbortController()

/** An account of the recorded genesis with slots 1, 2, 3. */
const stored = fromHex(testChain.stored)
const absent = fromHex(`0x${'11'.repeat(20)}`)
const coded = fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const hasCode = (code: string) => (thrown: unknown) =>
  thrown instanceof Fault && thrown.code === code

async function open(t: TestContext, stubs = 1) {
  const started = await Promise.all(
    Array.from({ length: stubs }, () => startStubUpstream(t, chain)),
  )
  const content = openUpstreamContent(t, started)
  const block = provedBlock(chain.recorded.at(-1) ?? assert.fail())
  const at = (address: Uint8Array) => ({ network: content.network, block, address })
  return { stubs: started, stub: started[0] ?? assert.fail(), at, ...content }
}

test('one call supplies an account and the slot that is read', async (t) => {
  const { stub, at, invalidReplies } = await open(t)
  assert.equal(toHex(await completeRead(readStorage(at(stored), word(2)), signal)), toHex(word(2)))
  assert.equal(stub.count('eth_getProof'), 1)
  assert.deepEqual(invalidReplies, [])
})

test('slots that are read in parallel are one call', async (t) => {
  const { stub, at } = await open(t)
  const slots = [1, 2, 3, 4, 5, 6, 7]
  const read = slots.map((slot) => completeRead(readStorage(at(stored), word(slot)), signal))
  const expected = [1, 2, 3, 0, 0, 0, 0].map((value) => toHex(word(value)))
  assert.deepEqual((await Promise.all(read)).map(toHex), expected)
  assert.equal(stub.count('eth_getProof'), 1)
})

test('a thousand readers of one slot are one call', async (t) => {
  const { stub, at } = await open(t)
  const read = Array.from({ length: 1000 }, () =>
    completeRead(readStorage(at(stored), word(1)), signal),
  )
  assert.ok((await Promise.all(read)).every((value) => toHex(value) === toHex(word(1))))
  assert.equal(stub.count('eth_getProof'), 1)
})

test('accounts that are read in parallel are one call each, all in parallel', async (t) => {
  const { stub, at } = await open(t)
  const addresses = Object.keys(allocated()).slice(0, 20)
  const { promise: all, resolve: onAll } = Promise.withResolvers<null>()
  let underway = 0
  stub.knobs.falsify = async () => {
    underway += 1
    if (underway === addresses.length) onAll(null)
    return await all
  }
  const accounts = await Promise.all(
    addresses.map((one) => completeRead(findAccount(at(fromHex(one))), signal)),
  )
  assert.ok(accounts.every((account) => account !== null))
  assert.equal(stub.count('eth_getProof'), addresses.length)
})

function allocated(): Record<string, unknown> {
  const text = Buffer.from(readChain('genesis.json')).toString('utf8')
  return (JSON.parse(text) as { alloc: Record<string, unknown> }).alloc
}

test('a read during a call waits for that call if it needs no other slot', async (t) => {
  const { stub, at } = await open(t)
  const { promise: released, resolve: release } = Promise.withResolvers<null>()
  const { promise: called, resolve: onCall } = Promise.withResolvers<void>()
  stub.knobs.falsify = async () => {
    onCall()
    return await released
  }
  const first = completeRead(readStorage(at(stored), word(1)), signal)
  await called
  const same = completeRead(readStorage(at(stored), word(1)), signal)
  const other = completeRead(readStorage(at(stored), word(2)), signal)
  release(null)
  assert.deepEqual(
    (await Promise.all([first, same, other])).map(toHex),
    [1, 1, 2].map((value) => toHex(word(value))),
  )
  assert.ok(stub.count('eth_getProof') <= 2)
})

test('absence is proved, and nothing is requested for an empty trie or empty code', async (t) => {
  const { stub, at } = await open(t)
  assert.equal(await completeRead(findAccount(at(absent)), signal), null)
  assert.equal(toHex(await completeRead(readStorage(at(absent), word(1)), signal)), toHex(word(0)))
  assert.deepEqual(await completeRead(readCode(at(absent)), signal), new Uint8Array(0))
  assert.equal(stub.count(), 1)
})

test('code takes one more call', async (t) => {
  const { stub, at } = await open(t)
  const code = await completeRead(readCode(at(coded)), signal)
  assert.ok(code.length > 20)
  assert.deepEqual([stub.count('eth_getProof'), stub.count('eth_getCode')], [1, 1])
})

test('nodes stored for one block serve the next one too', async (t) => {
  const { stub, at, network } = await open(t)
  await completeRead(findAccount(at(stored)), signal)
  const before = stub.count()
  const block = provedBlock(chain.recorded.at(-1) ?? assert.fail())
  await completeRead(findAccount({ network, block, address: stored }), signal)
  assert.equal(stub.count(), before)
})

test('more than 1024 slots take several calls', async (t) => {
  const { stub, at } = await open(t)
  const slots = Array.from({ length: 1500 }, (_, index) => word(index))
  const read = slots.map((slot) => completeRead(readStorage(at(stored), slot), signal))
  const values = await Promise.all(read)
  assert.deepEqual(
    values.slice(0, 5).map(toHex),
    [0, 1, 2, 3, 0].map((value) => toHex(word(value))),
  )
  const keys = stub.calls.map(({ params }) => (params[1] as unknown[]).length)
  assert.ok(
    keys.every((count) => count <= 1024),
    keys.join(),
  )
  assert.ok(keys.length <= 3, keys.join())
})

test('a node that refuses a block hash receives the number, and that is remembered', async (t) => {
  const { stub, at } = await open(t)
  stub.knobs.blockHashParameter = false
  await completeRead(readStorage(at(stored), word(1)), signal)
  const first = stub.count('eth_getProof')
  await completeRead(findAccount(at(coded)), signal)
  assert.deepEqual([first, stub.count('eth_getProof')], [2, 3])
})

test('when its last caller leaves a call is aborted', async (t) => {
  const { stub, at } = await open(t)
  const { promise: released, resolve: release } = Promise.withResolvers<null>()
  const { promise: called, resolve: onCall } = Promise.withResolvers<void>()
  stub.knobs.falsify = async () => {
    onCall()
    return await released
  }
  const leaving = new AbortController()
  const left = completeRead(readStorage(at(stored), word(1)), leaving.signal)
  await called
  leaving.abort(new Fault('hung_up'))
  await assert.rejects(left, hasCode('hung_up'))
  release(null)
  assert.equal(toHex(await completeRead(readStorage(at(stored), word(1)), signal)), toHex(word(1)))
})

test('state beyond the proof depth of all nodes is unprovable, state that no node has is no_state', async (t) => {
  type Words = 'geth' | 'reth' | 'erigon'
  /** The first of two nodes, or both, cannot prove beyond 5 blocks. */
  async function read(client: Words, count: number) {
    const { stubs, network } = await open(t, 2)
    for (const { knobs } of stubs.slice(0, count)) knobs.proofWindow = { blocks: 5, client }
    const block = provedBlock(chain.recorded[10] ?? assert.fail())
    return toHex(
      await completeRead(readStorage({ network, block, address: stored }, word(1)), signal),
    )
  }
  for (const client of ['reth', 'erigon'] as const) {
    await assert.rejects(read(client, 2), (thrown) => {
      assert.ok(thrown instanceof Fault && thrown.code === 'unprovable')
      assert.match(thrown.message, /^state at block 0x[0-9a-f]{64} can be read but not proved$/)
      return true
    })
  }
  await assert.rejects(read('geth', 2), hasCode('no_state'))
  for (const client of ['geth', 'reth', 'erigon'] as const) {
    assert.equal(await read(client, 1), toHex(word(1)))
  }
})

test('a node that could not be queried may have it: no absence is concluded', async (t) => {
  const { stubs, network } = await open(t, 2)
  const block = provedBlock(chain.recorded[10] ?? assert.fail())
  const [first, second] = stubs
  if (first !== undefined) first.knobs.proofWindow = { blocks: 5, client: 'geth' }
  if (second !== undefined) second.knobs.trouble = () => 'status 503'
  const read = completeRead(findAccount({ network, block, address: stored }), signal)
  await assert.rejects(read, hasCode('no_upstream'))
})

test('readers of another network that wait for the same node cause no request here', async (t) => {
  const { stub, network } = await open(t)
  const block = provedBlock(chain.recorded.at(-1) ?? assert.fail())
  const elsewhere = { ...network, hint: { network: 'another' } }
  const both = [network, elsewhere].map((one, index) =>
    completeRead(
      findAccount({ network: one, block, address: index === 0 ? stored : coded }),
      signal,
    ),
  )
  await Promise.allSettled(both)
  const addresses = stub.calls.map(({ params }) => params[0])
  assert.equal(addresses[0], toHex(stored))
})
