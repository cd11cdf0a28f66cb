import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createForkedChain, type ForkedChain } from '../../../test/fakes/upstream/forked-chain.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import type { Log } from '../../codec/ethereum/receipt.ts'
import { createReadyTransactions } from '../../chain/transaction-pool.ts'
import type { ProvedHeader } from '../../chain/proved-memory.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { ethSubscribe } from '../methods/logs/eth_subscribe.ts'
import { createEvents } from './network-events.ts'
import { createSubscriptions } from './subscriptions.ts'

type ReceivedEvent = { readonly id: string; readonly result: unknown }

const log = (topic: number): Log => ({
  address: new Uint8Array(20).fill(1),
  topics: [new Uint8Array(32).fill(topic)],
  data: new Uint8Array(0),
})
const topicOf = (topic: number) => toHex(new Uint8Array(32).fill(topic))

async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await setImmediate()
}

function connect(chain: ForkedChain = createForkedChain(), unitsMax = Infinity) {
  const clock = createManualClock()
  const arrivals = createReadyTransactions()
  const network = { ...chain.network, pool: { ...chain.network.pool, arrivals } }
  const findSender = createSenderCache(10).find
  const eventsOf = createEvents({ clock, log: silentLog, findSender })
  const received: ReceivedEvent[] = []
  const ends: Fault[] = []
  let units = 0
  const open = (keyId = 'key') =>
    createSubscriptions({
      events: eventsOf(network),
      keyId,
      charge(more) {
        if (units + more > unitsMax) throw new Fault('over_quota')
        units += more
      },
      send(event) {
        const { jsonrpc, method, params } = JSON.parse(event) as Record<string, unknown>
        assert.deepEqual([jsonrpc, method], ['2.0', 'eth_subscription'])
        const { subscription, result } = params as { subscription: string; result: unknown }
        received.push({ id: subscription, result })
      },
      end: (fault) => ends.push(fault),
    })
  const subscriptions = open()
  const subscribe = (...params: unknown[]) => {
    const frame = subscriptions.openFrame()
    const id = frame.add(ethSubscribe.parse(params))
    frame.settle(true)
    return id
  }
  return {
    chain,
    clock,
    arrivals,
    open,
    subscriptions,
    subscribe,
    received,
    ends,
    get units() {
      return units
    },
  }
}

const numbers = (received: readonly ReceivedEvent[]) =>
  received.map(({ result }) => (result as { number: string }).number)
const shown = (received: readonly ReceivedEvent[]) =>
  received.map(({ result }) => {
    const { blockHash, topics, removed } = result as Record<string, unknown>
    return [blockHash, (topics as string[])[0], removed]
  })

test('newHeads sends the header of each canonical block, after a reorg of the whole new branch', async () => {
  const { chain, received, subscribe } = connect()
  const id = subscribe('newHeads')
  assert.match(id, /^0x[0-9a-f]{32}$/)
  const a1 = chain.grow(chain.genesis)
  const a2 = chain.grow(a1)
  const b1 = chain.grow(chain.genesis)
  const b2 = chain.grow(b1)
  chain.moveTo(a2)
  await settle()
  chain.moveTo(b2)
  await settle()
  assert.deepEqual(
    received.map(({ result }) => (result as { hash: string }).hash),
    [a1, a2, b1, b2].map(({ hash }) => toHex(hash)),
  )
  assert.ok(received.every((event) => event.id === id))
  const [first] = received.map(({ result }) => result as Record<string, unknown>)
  assert.equal(first?.['parentHash'], toHex(chain.genesis.hash))
  for (const absent of ['transactions', 'uncles', 'size', 'withdrawals']) {
    assert.ok(!Object.hasOwn(first ?? {}, absent), absent)
  }
})

test('logs of orphaned blocks are sent again as removed, newest first, before logs of the new branch', async () => {
  const { chain, received, subscribe } = connect()
  subscribe('logs', {})
  const a1 = chain.grow(chain.genesis, [[log(1), log(2)], [log(3)]])
  const a2 = chain.grow(a1, [[log(4)]])
  const b1 = chain.grow(chain.genesis, [[log(5)]])
  const [hashA1, hashA2, hashB1] = [a1, a2, b1].map(({ hash }) => toHex(hash))
  chain.moveTo(a2)
  await settle()
  chain.moveTo(b1)
  await settle()
  assert.deepEqual(shown(received), [
    [hashA1, topicOf(1), false],
    [hashA1, topicOf(2), false],
    [hashA1, topicOf(3), false],
    [hashA2, topicOf(4), false],
    [hashA2, topicOf(4), true],
    [hashA1, topicOf(3), true],
    [hashA1, topicOf(2), true],
    [hashA1, topicOf(1), true],
    [hashB1, topicOf(5), false],
  ])
})

test('each subscription hears the logs of its own filter, with a hundred others beside it', async () => {
  const { chain, received, subscribe } = connect()
  const ids = Array.from({ length: 100 }, (_, topic) =>
    subscribe('logs', { topics: [topicOf(topic)] }),
  )
  const elsewhere = subscribe('logs', { address: toHex(new Uint8Array(20).fill(2)) })
  const later = subscribe('logs', { fromBlock: '0x2' })
  const a1 = chain.grow(chain.genesis, [[log(7), log(9)], [log(7)]])
  chain.moveTo(a1)
  await settle()
  assert.deepEqual(
    received.map(({ id }) => id).toSorted(),
    [ids[7] ?? '', ids[7] ?? '', ids[9] ?? ''].toSorted(),
  )
  chain.moveTo(chain.grow(a1, [[log(200)]]))
  await settle()
  assert.deepEqual(
    received.slice(3).map(({ id }) => id),
    [later],
  )
  assert.ok(received.every(({ id }) => id !== elsewhere))
})

test('an event is never sent before the reply that names its subscription', async () => {
  const { chain, received, subscriptions } = connect()
  const frame = subscriptions.openFrame()
  const id = frame.add({ kind: 'newHeads' })
  let block: ProvedHeader = chain.genesis
  for (let made = 0; made < 3; made += 1) {
    block = chain.grow(block)
    chain.moveTo(block)
  }
  await settle()
  assert.equal(received.length, 0)
  frame.settle(true)
  assert.deepEqual(numbers(received), ['0x1', '0x2', '0x3'])
  assert.ok(received.every((event) => event.id === id))
  const unheard = subscriptions.openFrame()
  const dropped = unheard.add({ kind: 'newHeads' })
  unheard.settle(false)
  assert.equal(unheard.drop(dropped), false)
})

test('no event comes after the end of a subscription, and unused watches stop', async () => {
  const { chain, received, subscriptions, subscribe } = connect()
  const id = subscribe('newHeads')
  subscribe('logs', {})
  assert.equal(chain.watchers, 1)
  assert.equal(subscriptions.openFrame().drop(id), true)
  assert.equal(subscriptions.openFrame().drop(id), false)
  chain.moveTo(chain.grow(chain.genesis))
  await settle()
  assert.deepEqual(received, [])
  subscriptions.close()
  assert.equal(chain.watchers, 0)
})

test('a new subscription receives later events only, not those still being sent', async () => {
  const { chain, received, subscribe } = connect()
  const early = subscribe('newHeads')
  const a1 = chain.grow(chain.genesis)
  chain.moveTo(a1)
  const late = subscribe('newHeads')
  chain.moveTo(chain.grow(a1))
  await settle()
  assert.deepEqual(
    received.filter(({ id }) => id === early).map((event) => numbers([event])[0]),
    ['0x1', '0x2'],
  )
  assert.deepEqual(numbers(received.filter(({ id }) => id === late)), ['0x2'])
})

test('events have their price: 50 a head, 300 a block of logs, orphans free, 200 a bundle', async () => {
  const connected = connect()
  const { chain, clock, arrivals, subscribe } = connected
  const a1 = chain.grow(chain.genesis, [[log(1)]])
  const b1 = chain.grow(chain.genesis)
  subscribe('newHeads')
  chain.moveTo(a1)
  await settle()
  assert.equal(connected.units, 50)
  subscribe('logs', { topics: [topicOf(9)] })
  chain.moveTo(b1)
  await settle()
  assert.equal(connected.units, 50 + 50 + 300)
  subscribe('newPendingTransactions')
  for (let made = 0; made < 5; made += 1) arrivals.add(new Uint8Array(32).fill(made))
  clock.advance(700)
  await settle()
  assert.equal(connected.units, 50 + 50 + 300 + 200)
  clock.advance(7_000)
  await settle()
  assert.equal(connected.units, 50 + 50 + 300 + 200)
})

test('when the day is used up the connection ends instead of an event', async () => {
  const { chain, received, ends, subscribe } = connect(createForkedChain(), 120)
  subscribe('newHeads')
  let block: ProvedHeader = chain.genesis
  for (let made = 0; made < 4; made += 1) {
    block = chain.grow(block)
    chain.moveTo(block)
  }
  await settle()
  assert.deepEqual(numbers(received), ['0x1', '0x2'])
  assert.deepEqual(
    ends.map(({ code }) => code),
    ['over_quota'],
  )
})

test('missing logs are waited for, and heads continue meanwhile', async () => {
  const chain = createForkedChain()
  const { obtain } = chain.network
  let without = true
  const network = {
    ...chain.network,
    obtain: (...[ref, hint, signal]: Parameters<typeof obtain>) =>
      without && ref.kind === 'receipts'
        ? Promise.reject(new Fault('no_upstream'))
        : obtain(ref, hint, signal),
  }
  const { clock, received, ends, subscribe } = connect({ ...chain, network })
  const heads = subscribe('newHeads')
  const logs = subscribe('logs', {})
  const a1 = chain.grow(chain.genesis, [[log(1)]])
  const a2 = chain.grow(a1, [[log(2)]])
  chain.moveTo(a2)
  await settle()
  assert.deepEqual(
    received.map(({ id }) => id),
    [heads, heads],
  )
  without = false
  clock.advance(100)
  await settle()
  assert.deepEqual(
    received.slice(2).map(({ id }) => id),
    [logs, logs],
  )
  assert.deepEqual(ends, [])
})

test('logs missing for too long end the connection, so no gap is hidden', async () => {
  const { chain, clock, ends, subscribe } = connect()
  subscribe('logs', {})
  const a1 = chain.grow(chain.genesis, [[log(1)]])
  chain.reachable = false
  chain.moveTo(a1)
  for (let second = 0; second < 320; second += 1) {
    await settle()
    clock.advance(1_000)
  }
  assert.deepEqual(
    ends.map(({ code }) => code),
    ['no_upstream'],
  )
  assert.equal(chain.watchers, 0)
})

test('pending transactions come as hashes, in order, from the moment of subscribing', async () => {
  const { arrivals, clock, received, subscribe } = connect()
  const hash = (fill: number) => new Uint8Array(32).fill(fill)
  arrivals.add(hash(1))
  const first = subscribe('newPendingTransactions')
  arrivals.add(hash(2))
  const second = subscribe('newPendingTransactions', false)
  arrivals.add(hash(3))
  clock.advance(700)
  await settle()
  const of = (wanted: string) =>
    received.filter(({ id }) => id === wanted).map(({ result }) => result)
  assert.deepEqual(of(first), [toHex(hash(2)), toHex(hash(3))])
  assert.deepEqual(of(second), [toHex(hash(3))])
})

test('a long run of blocks, with more of them coming meanwhile, is sent whole and once', async () => {
  const { chain, received, subscribe } = connect()
  subscribe('newHeads')
  let block: ProvedHeader = chain.genesis
  for (let made = 0; made < 200; made += 1) block = chain.grow(block)
  chain.moveTo(block)
  for (let made = 0; made < 100; made += 1) {
    block = chain.grow(block)
    chain.moveTo(block)
    if (made % 3 === 0) await setImmediate()
  }
  await settle()
  assert.deepEqual(
    numbers(received).map(Number),
    Array.from({ length: 300 }, (_, at) => at + 1),
  )
})

test('a connection has at most 1,024 subscriptions', () => {
  const { subscriptions, subscribe } = connect()
  for (let made = 0; made < 1_024; made += 1) subscribe('syncing')
  assert.throws(() => subscribe('newHeads'), {
    code: 'over_filters',
    message: 'too many subscriptions, limit is 1024',
  })
  subscriptions.close()
  subscribe('newHeads')
})

test('a key has at most 10,000 subscriptions over all its connections, whatever they cost', () => {
  const { open } = connect()
  const syncing = ethSubscribe.parse(['syncing'])
  const connections = Array.from({ length: 10 }, () => open('one key'))
  for (const connection of connections) {
    const frame = connection.openFrame()
    for (let made = 0; made < 1_000; made += 1) frame.add(syncing)
    frame.settle(true)
  }
  assert.throws(() => connections[0]?.openFrame().add(syncing), {
    code: 'over_filters',
    message: 'too many subscriptions of this project ID, limit is 10000',
  })
  open('another key').openFrame().add(syncing)
  connections[9]?.close()
  connections[0]?.openFrame().add(syncing)
})
