// Heads that upstreams push: Cairn polls that upstream immediately, and proves as in a poll. No timer fires here.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  below,
  createMovingChain,
  type MovingBlock,
  type MovingChain,
  type MovingNode,
  movingNode,
} from '../../../../test/fakes/upstream/moving-chain.ts'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { equalBytes } from '../../../base/hex.ts'
import { silentLog } from '../../../base/log.ts'
import type { HeadUpdate } from '../../head.ts'
import { createHeadFollower } from './head-follower.ts'

async function follow(t: TestContext, sources: readonly MovingNode[], chain: MovingChain) {
  const clock = createManualClock()
  const follower = createHeadFollower({
    network: 'test',
    sources,
    settings: { quorum: 2, quorumRequired: false, pollMs: 600_000, maxAgeMs: 3_600_000 },
    header: async (hash) => chain.header(hash),
    older: { get: async () => assert.fail('asked for an older block'), forget: () => {} },
    locate: () => assert.fail('asked for a transaction'),
    clock,
    log: silentLog,
  })
  t.after(() => follower.stop())
  await follower.poll()
  const changes: HeadUpdate[] = []
  follower.watch((change) => void changes.push(change))
  const isHead = (block: MovingBlock) => equalBytes(follower.latest().hash, block.hash)
  return { follower, clock, changes, isHead }
}

const asks = (node: MovingNode): number => node.requestCounts.get('latest') ?? 0

test('a pushed block is the head as soon as its upstream was polled, also after a reorg', async (t) => {
  const chain = createMovingChain()
  const first = chain.grow(null, 101)
  const node = movingNode('one', first)
  const { changes, isHead } = await follow(t, [node], chain)
  node.latest = chain.grow(first, 1)
  await node.push(node.latest)
  assert.ok(isHead(node.latest))
  const orphan = node.latest
  node.latest = chain.grow(below(first, 64), 66)
  await node.push(node.latest)
  assert.ok(isHead(node.latest))
  assert.ok(equalBytes(changes.at(-1)?.removed[0]?.hash ?? new Uint8Array(), orphan.hash))
})

test('if a reorg pushes several blocks the upstream is polled once', async (t) => {
  const chain = createMovingChain()
  const first = chain.grow(null, 101)
  const node = movingNode('one', first)
  const { changes } = await follow(t, [node], chain)
  node.latest = chain.grow(below(first, 20), 30)
  const before = asks(node)
  for (let at = 29; at >= 0; at -= 1) await node.push(below(node.latest, at))
  assert.equal(asks(node) - before, 1)
  assert.equal(changes.length, 1)
})

test('a pushed block is not used itself: the head is the reply of the upstream to a poll', async (t) => {
  const chain = createMovingChain()
  const first = chain.grow(null, 101)
  const nodes = ['one', 'two', 'faulty'].map((name) => movingNode(name, first))
  const faulty = nodes.at(-1)
  assert(faulty)
  const { isHead, clock } = await follow(t, nodes, chain)
  const before = asks(faulty)
  // A block that no node has causes only a few polls.
  const looking = faulty.push({ hash: new Uint8Array(32).fill(7), number: 102n, parent: null })
  for (let turns = 0; turns < 20; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1_000)
  }
  await looking
  assert.ok(isHead(first))
  assert.ok(asks(faulty) - before <= 4, `${asks(faulty) - before} calls`)
  // An invented block: too few votes.
  faulty.latest = chain.grow(first, 1)
  await faulty.push(faulty.latest)
  assert.ok(isHead(first))
  faulty.usable = false
  const then = asks(faulty)
  await faulty.push(chain.grow(first, 1))
  assert.equal(asks(faulty), then)
})

test('if a quorum is needed, upstreams without push are polled when another pushes, at a limited rate', async (t) => {
  const chain = createMovingChain()
  const first = chain.grow(null, 101)
  const [pushing, polled] = [movingNode('one', first), movingNode('two', first)]
  pushing.isPushing = true
  const { isHead } = await follow(t, [pushing, polled], chain)
  const next = chain.grow(first, 1)
  pushing.latest = next
  polled.latest = next
  const before = asks(polled)
  await pushing.push(next)
  assert.ok(isHead(next))
  for (let at = 0; at < 20; at += 1) {
    pushing.latest = chain.grow(pushing.latest, 1)
    await pushing.push(pushing.latest)
  }
  assert.equal(asks(polled) - before, 1)
})
