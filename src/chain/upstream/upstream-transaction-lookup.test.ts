// The locations of a transaction as upstreams report them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { toHex } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import { encodeTransactionsJson } from '../../codec/ethereum/transaction-json.ts'
import type { TransactionHint } from '../head.ts'
import {
  createUpstreamTransactionLookup,
  type LookupSource,
} from './upstream-transaction-lookup.ts'

const { signal } = new AbortController()
const hash = (tag: number) => new Uint8Array(32).fill(tag)

type Node = LookupSource & { asks: number; says: unknown }

function node(says: unknown, cost = 1, trusted = false): Node {
  const made: Node = {
    usable: true,
    trusted,
    asks: 0,
    says,
    cost: () => cost,
    async call() {
      made.asks += 1
      if (made.says instanceof Error) throw made.says
      return made.says
    },
  }
  return made
}

const at = (block: number, index: number) => ({
  blockHash: toHex(hash(block)),
  transactionIndex: `0x${index.toString(16)}`,
})
const down = new Error('connection refused')

/** `catchUp`: simulates the effect of polling the head again. */
function rig(nodes: readonly Node[], catchUp: () => void = () => {}) {
  const clock = createManualClock()
  const words = createUpstreamTransactionLookup({
    network: 'test',
    upstreams: nodes,
    catchUp: async () => catchUp(),
    clock,
  })
  const places = async (wanted: number | null = null) => {
    const found: TransactionHint[] = []
    for await (const hint of words.locate(hash(9), signal)) {
      found.push(hint)
      if (found.length === wanted) break
    }
    return found.map(({ blockHash, index }) => [blockHash[0], index])
  }
  return { words, places, clock }
}

test('if the first location is correct, one request is sent', async () => {
  const nodes = [node(at(1, 0), 2), node(at(1, 0), 1)]
  const { places } = rig(nodes)
  assert.deepEqual(await places(1), [[1, 0]])
  assert.deepEqual(
    nodes.map(({ asks }) => asks),
    [0, 1],
  )
})

test('after a wrong location, or none, the other upstreams are queried, each location once', async () => {
  const { places } = rig([node(at(1, 5)), node(null), node(down), node(at(2, 0))])
  assert.deepEqual(await places(2), [
    [1, 5],
    [2, 0],
  ])
  const same = rig([node(at(1, 5)), node(at(1, 5)), node(at(2, 0))])
  assert.deepEqual(await same.places(2), [
    [1, 5],
    [2, 0],
  ])
})

test('if every location is wrong all are queried once more, after a poll of the head', async () => {
  const moved = node(at(1, 5))
  const { places } = rig([moved], () => {
    moved.says = at(2, 0)
  })
  assert.deepEqual(await places(2), [
    [1, 5],
    [2, 0],
  ])
  assert.equal(moved.asks, 2)
})

test('locations that remain wrong are an error, unless enough upstreams report none', async () => {
  const wrong = () => node(at(1, 5))
  for (const others of [[], [wrong()], [node(null)], [node(down)]]) {
    await assert.rejects(rig([wrong(), ...others]).places(), { code: 'unverified' })
  }
  for (const others of [[node(null), node(null)], [node(null, 1, true)]]) {
    assert.deepEqual(await rig([wrong(), ...others]).places(), [
      [1, 5],
      [1, 5],
    ])
  }
})

test('concurrent calls share a second lookup', async () => {
  const one = node(at(1, 5))
  const { places } = rig([one])
  const looks = await Promise.allSettled([places(), places(), places()])
  assert.deepEqual(
    looks.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.equal(one.asks, 2)
})

test('a malformed reply does not count', async () => {
  const junk = [7, 'x', { blockHash: 7 }, { ...at(1, 0), transactionIndex: '0x-1' }]
  for (const says of junk) {
    assert.deepEqual(await rig([node(says), node(at(3, 1))]).places(1), [[3, 1]])
  }
})

test('unknown to all upstreams: no location; no upstream reachable: an error', async () => {
  assert.deepEqual(await rig([node(null), node(down)]).places(), [])
  await assert.rejects(rig([node(down), node(down)]).places(), { code: 'no_upstream' })
  await assert.rejects(rig([]).places(), { code: 'no_upstream' })
})

test('lookups shortly after each other share their answers; later ones query again', async () => {
  const one = node(null)
  const { places, words, clock } = rig([one])
  await places()
  assert.equal(await words.findPending(hash(9), signal), null)
  assert.equal(one.asks, 1)
  clock.advance(400)
  await places()
  assert.equal(one.asks, 2)
})

test('a pending transaction is returned if its bytes have the hash, otherwise it is skipped', async () => {
  const waiting = {
    blockHash: null,
    type: '0x2',
    chainId: '0xc72dd9d5e883e',
    nonce: '0x3',
    maxPriorityFeePerGas: '0x1f4',
    maxFeePerGas: '0x1a2158b',
    gas: '0x13880',
    to: '0x947dcd17433742f4c0ca53122ab541d0ba67fc27',
    value: '0x0',
    input: '0x01020304',
    accessList: [],
    yParity: '0x1',
    r: '0x13441f796609349cf843b8a0b4f7eee7f898657a28aa226c8db3383a4ad87c34',
    s: '0x7edae97fbc1f2bcd8e62967b2568bbafe7577ff279d24f89dff6d75336246956',
  }
  const { words } = rig([node({ ...waiting, nonce: '0x4' }), node(waiting)])
  assert.equal(await words.findPending(hash(9), signal), null)
  const [raw] = decodeEntries(encodeTransactionsJson([waiting]))
  assert(raw !== undefined)
  assert.deepEqual(await words.findPending(transactionHash(raw), signal), raw)
})
