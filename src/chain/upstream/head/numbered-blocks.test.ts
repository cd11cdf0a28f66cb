// Old blocks by number: their anchors, and the errors for missing ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHex, toQuantity } from '../../../base/hex.ts'
import type { BlockRef } from '../../head.ts'
import type { HeadSource } from './head-source.ts'
import { createNumberedBlocks, type NumberedBlocksParts } from './numbered-blocks.ts'

const { signal } = new AbortController()
const hash = (tag: number) => new Uint8Array(32).fill(tag)
const latest: BlockRef = { network: 'test', hash: hash(9), number: 900n, anchor: 'quorum:2/3' }

/** `reported`: the first byte of the reported hash; null: no block; an Error: the request fails. */
function source(reported: number | null | Error, trusted = false): HeadSource & { asks: number } {
  const made = {
    name: 'one',
    trusted,
    usable: true,
    asks: 0,
    setLag: () => {},
    confirmChain: async () => {},
    async call(_method: string, [number]: readonly unknown[]) {
      made.asks += 1
      if (reported instanceof Error) throw reported
      return reported === null ? null : { hash: toHex(hash(reported)), number }
    },
  }
  return made
}

function blocks(sources: readonly HeadSource[], over: Partial<NumberedBlocksParts> = {}) {
  return numbered(sources, over).get
}

function numbered(sources: readonly HeadSource[], over: Partial<NumberedBlocksParts> = {}) {
  return createNumberedBlocks({
    network: 'test',
    sources,
    quorum: 2,
    quorumRequired: false,
    genesisHash: null,
    finalized: () => null,
    windowBlocks: 1_000n,
    history: async () => null,
    numberOf: async () => 5n,
    ...over,
  })
}

const down = () => source(new Error('connection refused'))

test('a quorum of upstreams is the anchor, with the number of votes', async () => {
  const found = await blocks([source(1), source(2), source(1)])(5n, latest, signal)
  assert.deepEqual(found, { network: 'test', hash: hash(1), number: 5n, anchor: 'quorum:2/3' })
  const alone = await blocks([source(4)])(5n, latest, signal)
  assert.equal(alone.anchor, 'single')
  const left = await blocks([source(4), down(), down()])(5n, latest, signal)
  assert.equal(left.anchor, 'single')
})

test('if a quorum is required, too few votes are an error with a fix', async () => {
  const find = blocks([source(4), down(), source(5)], { quorumRequired: true })
  await assert.rejects(find(5n, latest, signal), { code: 'unverified', message: /trusted: true/ })
})

test('a trusted upstream is queried alone', async () => {
  const other = source(1)
  const found = await blocks([other, source(7, true)])(5n, latest, signal)
  assert.deepEqual([found.hash, found.anchor, other.asks], [hash(7), 'trusted', 0])
})

test('missing at all upstreams: pruned; no upstream reachable: no source', async () => {
  await assert.rejects(blocks([source(null), down()])(5n, latest, signal), { code: 'pruned' })
  await assert.rejects(blocks([down(), down()])(5n, latest, signal), { code: 'no_upstream' })
})

test('a block of another number does not count', async () => {
  const odd = source(3)
  odd.call = async () => ({ hash: toHex(hash(3)), number: toQuantity(6n) })
  await assert.rejects(blocks([odd])(5n, latest, signal), { code: 'pruned' })
})

test('a block whose header has another number does not count, from any upstream', async () => {
  // The header of hash 3 is that of block 6.
  const numberOf = async (found: Uint8Array) => (found[0] === 3 ? 6n : 5n)
  const found = await blocks([source(3), source(3), source(4)], { numberOf })(5n, latest, signal)
  assert.deepEqual([found.hash, found.anchor], [hash(4), 'single'])
  for (const trusted of [true, false]) {
    const alone = blocks([source(3, trusted)], { numberOf })(5n, latest, signal)
    await assert.rejects(alone, { code: 'unverified' })
  }
})

test('a hash from the state under the head needs no votes', async () => {
  const one = source(1)
  const find = blocks([one], { history: async () => hash(8) })
  const found = await find(5n, latest, signal)
  assert.deepEqual([found.hash, found.anchor, one.asks], [hash(8), 'quorum:2/3', 0])
})

test('the first block is that of the settings, without a request', async () => {
  const one = source(1)
  const found = await blocks([one], { genesisHash: hash(6) })(0n, latest, signal)
  assert.deepEqual([found.hash, one.asks], [hash(6), 0])
})

test('a final block is requested once', async () => {
  const one = source(1)
  const find = blocks([one], { finalized: () => ({ ...latest, number: 10n }) })
  await find(5n, latest, signal)
  await find(5n, latest, signal)
  assert.equal(one.asks, 1)
  const over = { finalized: () => ({ ...latest, number: 20n }), numberOf: async () => 11n }
  const later = blocks([one], { ...over, finalized: () => ({ ...latest, number: 10n }) })
  await later(11n, latest, signal)
  await later(11n, latest, signal)
  assert.equal(one.asks, 3)
  // A single vote, while other upstreams are unreachable, is not cached.
  const left = blocks([one, down()], over)
  await left(11n, latest, signal)
  await left(11n, latest, signal)
  assert.equal(one.asks, 5)
})

test('without finality, a block below the window of the head is requested once', async () => {
  const one = source(1)
  const { get, forget } = numbered([one], { windowBlocks: 256n, numberOf: async () => 644n })
  await get(644n, latest, signal)
  await get(644n, latest, signal)
  assert.equal(one.asks, 1)
  forget()
  await get(644n, latest, signal)
  assert.equal(one.asks, 2)
  // A reorg could still replace it.
  const near = numbered([one], { windowBlocks: 256n, numberOf: async () => 645n })
  await near.get(645n, latest, signal)
  await near.get(645n, latest, signal)
  assert.equal(one.asks, 4)
  // The state under the head proves it: also once.
  let proofs = 0
  const proved = numbered([one], {
    windowBlocks: 256n,
    history: async () => {
      proofs += 1
      return hash(8)
    },
  })
  await proved.get(600n, latest, signal)
  await proved.get(600n, latest, signal)
  assert.equal(proofs, 1)
})

test('after a rollback of final blocks they are requested again, including requests in flight', async () => {
  const one = source(1)
  const call = one.call.bind(one)
  const { get, forget } = numbered([one], { finalized: () => ({ ...latest, number: 10n }) })
  await get(5n, latest, signal)
  forget()
  await get(5n, latest, signal)
  assert.equal(one.asks, 2)
  one.call = async (...args) => {
    const reply = await call(...args)
    forget()
    return reply
  }
  forget()
  await get(5n, latest, signal)
  one.call = call
  await get(5n, latest, signal)
  assert.equal(one.asks, 4)
})
