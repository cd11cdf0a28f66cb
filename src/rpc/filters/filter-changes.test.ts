import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createForkedChain, type ForkedChain } from '../../../test/fakes/upstream/forked-chain.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { toHex } from '../../base/hex.ts'
import type { Log } from '../../codec/ethereum/receipt.ts'
import type { ProvedHeader } from '../../chain/blocks.ts'
import type { ChainPoint } from '../../chain/reorg-path.ts'
import { createReadyTransactions } from '../../chain/transaction-pool.ts'
import type { LogObject } from '../../chain/log-object.ts'
import { readArrivals } from './arrivals.ts'
import { type FilterStore, createMemoryFilters } from './filter-store.ts'
import { type Filters, type NewFilter, createFilters } from './filters.ts'
import type { RpcCall } from '../operation.ts'
import { latestBlock } from '../params/block-parameter.ts'
import { resolveBlock } from '../request-context.ts'
import { resolvedRead } from '../../chain/read.ts'

const log = (topic: number, bytes = 0): Log => ({
  address: new Uint8Array(20).fill(1),
  topics: [new Uint8Array(32).fill(topic)],
  data: new Uint8Array(bytes),
})
const everything = {
  blocks: { from: latestBlock, to: latestBlock },
  filter: { addresses: [], topics: [] },
}

function callOn({ network }: ForkedChain): RpcCall {
  const { signal } = new AbortController()
  return {
    caller: { keyId: 'k' } as RpcCall['caller'],
    network,
    resolve: (parameter) => resolveBlock(network, parameter),
    labels: { level: () => {}, block: () => {} },
    signal,
  }
}

function growTo(chain: ForkedChain, from: ProvedHeader, count: number): readonly ProvedHeader[] {
  const line: ProvedHeader[] = []
  for (let made = 0; made < count; made += 1) line.push(chain.grow(line.at(-1) ?? from))
  chain.moveTo(line.at(-1) ?? from)
  return line
}

/** Polls a new filter of `chain`. */
async function follow(chain: ForkedChain, filter: NewFilter, store?: FilterStore) {
  const filters = createFilters(createManualClock(), store === undefined ? {} : { store })
  const id = await filters.add(callOn(chain), filter)
  return Object.assign((call: RpcCall) => filters.poll(call, id), { id })
}
const blocks: NewFilter = { kind: 'blocks' }
const logs: NewFilter = { kind: 'logs', query: everything }

const hashes = (branch: readonly ProvedHeader[]) => branch.map(({ hash }) => toHex(hash))
const shown = (logs: readonly unknown[]) =>
  logs.map((received) => {
    const { blockHash, topics, removed } = received as LogObject
    return [blockHash, Number.parseInt(topics[0]?.slice(2, 4) ?? '', 16), removed]
  })

test('after a reorg a block filter returns the whole new branch', async () => {
  const chain = createForkedChain()
  const poll = await follow(chain, blocks)
  const shared = growTo(chain, chain.genesis, 2)
  growTo(chain, shared[1] as ProvedHeader, 2)
  assert.equal((await poll(callOn(chain))).value.length, 4)
  const branch = growTo(chain, shared[1] as ProvedHeader, 3)
  assert.deepEqual((await poll(callOn(chain))).value, hashes(branch))
  assert.deepEqual((await poll(callOn(chain))).value, [])
})

test('after a reorg a log filter returns the removed logs, last first, then the new branch', async () => {
  const chain = createForkedChain()
  const poll = await follow(chain, logs)
  const a1 = chain.grow(chain.genesis, [[log(1), log(2)]])
  const a2 = chain.grow(a1, [[log(3)]])
  const b1 = chain.grow(chain.genesis, [[log(4)]])
  const c1 = chain.grow(chain.genesis, [[log(5)]])
  const [hashA1, hashA2, hashB1] = hashes([a1, a2, b1])
  chain.moveTo(a2)
  assert.deepEqual(shown((await poll(callOn(chain))).value), [
    [hashA1, 1, false],
    [hashA1, 2, false],
    [hashA2, 3, false],
  ])
  // The client never received the branch that appeared and left between two polls, so it receives no removal.
  chain.moveTo(c1)
  chain.moveTo(b1)
  assert.deepEqual(shown((await poll(callOn(chain))).value), [
    [hashA2, 3, true],
    [hashA1, 2, true],
    [hashA1, 1, true],
    [hashB1, 4, false],
  ])
})

test('a range holds for blocks that left as for those that came', async () => {
  const chain = createForkedChain()
  const query = { ...everything, blocks: { from: { number: 2n }, to: { number: 2n } } }
  const poll = await follow(chain, { kind: 'logs', query })
  const a1 = chain.grow(chain.genesis, [[log(1)]])
  const a3 = chain.grow(chain.grow(a1, [[log(2)]]), [[log(3)]])
  chain.moveTo(a3)
  await poll(callOn(chain))
  chain.moveTo(chain.grow(chain.genesis, [[log(4)]]))
  const undone = shown((await poll(callOn(chain))).value)
  assert.deepEqual(
    undone.map(([, topic, removed]) => [topic, removed]),
    [[2, true]],
  )
})

test('changes that did not reach the client are sent again in smaller parts, and none is lost', async () => {
  const chain = createForkedChain()
  const poll = await follow(chain, logs)
  let block: ProvedHeader = chain.genesis
  for (let made = 1; made <= 20; made += 1) block = chain.grow(block, [[log(made, 40_000)]])
  chain.moveTo(block)
  const call = callOn(chain)
  const whole = await poll(call)
  assert.equal(whole.value.length, 20)
  whole.rollback()
  whole.rollback()
  const received: unknown[] = []
  let largest = 0
  for (let polls = 0; polls < 100 && received.length < 20; polls += 1) {
    const part = await poll(call)
    if (part.value.length > 3) {
      part.rollback()
      continue
    }
    largest = Math.max(largest, part.value.length)
    received.push(...part.value)
  }
  assert.deepEqual(received, whole.value)
  assert.ok(largest > 0)
})

test('a filter is polled on any node: each change is sent once, and a lost answer again', async () => {
  const chain = createForkedChain()
  const store = createMemoryFilters(createManualClock())
  const clock = createManualClock()
  const [one, other] = [createFilters(clock, { store }), createFilters(clock, { store })]
  const call = callOn(chain)
  const id = await one.add(call, blocks)
  const first = growTo(chain, chain.genesis, 3)
  const both = await Promise.all([one.poll(call, id), other.poll(call, id)])
  assert.deepEqual(
    both.flatMap(({ value }) => value),
    hashes(first),
  )
  const second = growTo(chain, first[2] as ProvedHeader, 2)
  const lost = await other.poll(call, id)
  assert.deepEqual(lost.value, hashes(second))
  lost.rollback()
  await other.poll(callOn(chain), id).then(({ rollback }) => rollback())
  assert.deepEqual((await other.poll(call, id)).value, hashes(second))
  assert.deepEqual((await one.poll(call, id)).value, [])
  assert.equal(await one.drop(call, id), true)
  await assert.rejects(other.poll(call, id), { code: 'no_filter' })
})

test('a head with missing headers does not advance a filter', async () => {
  const chain = createForkedChain()
  const poll = await follow(chain, blocks)
  growTo(chain, chain.genesis, 3)
  await poll(callOn(chain))
  const strange = {
    ...chain.network.head.latest(),
    hash: new Uint8Array(32).fill(9),
    number: 9_000n,
  }
  const network = { ...chain.network, head: { ...chain.network.head, latest: () => strange } }
  const far = { ...callOn(chain), network, resolve: () => resolvedRead(strange) }
  await assert.rejects(poll(far), { code: 'unknown_block' })
  assert.deepEqual((await poll(callOn(chain))).value, [])
})

test('pending transactions are polled in any process of a machine, each once, and elsewhere not', async () => {
  const pool = createReadyTransactions()
  const chain = createForkedChain()
  const clock = createManualClock()
  const store = createMemoryFilters(clock)
  const over = (_network: unknown, from: ChainPoint | null, max: number) =>
    Promise.resolve(readArrivals(pool, from, max))
  const [one, other] = [0, 1].map(() => createFilters(clock, { store, arrivals: over })) as [
    Filters,
    Filters,
  ]
  const elsewhere = createFilters(clock, { store })
  const call = callOn(chain)
  const add = (fill: number) => pool.add(new Uint8Array(32).fill(fill))
  const shownAs = (fill: number) => `0x${`0${fill}`.repeat(32)}`
  add(1)
  const id = await one.add(call, { kind: 'pending' })
  for (const fill of [2, 3]) add(fill)
  assert.deepEqual((await other.poll(call, id)).value, [2, 3].map(shownAs))
  add(4)
  const lost = await one.poll(call, id)
  assert.deepEqual(lost.value, [4].map(shownAs))
  lost.rollback()
  await assert.rejects(elsewhere.poll(call, id), { code: 'no_filter' })
  await assert.rejects(other.queryOf(call, id), { code: 'no_filter' })
  assert.deepEqual((await one.poll(call, id)).value, [4].map(shownAs))
  assert.deepEqual((await other.poll(call, id)).value, [])
  assert.equal(await other.drop(call, id), true)
})
