// `safe` and `finalized` during reorgs: each is a block on the branch of the served head that a quorum of upstreams currently
// reports.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  below,
  createMovingChain,
  type MovingBlock,
  type MovingNode,
  movingNode,
} from '../../../../test/fakes/upstream/moving-chain.ts'
import { seeded } from '../../../../test/fakes/seeded.ts'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { equalBytes } from '../../../base/hex.ts'
import { silentLog } from '../../../base/log.ts'
import type { BlockRef } from '../../head.ts'
import { createHeadFollower } from './head-follower.ts'
import type { HeadSettings } from './head-settings.ts'

const settings: HeadSettings = {
  quorum: 2,
  quorumRequired: false,
  pollMs: 1_000,
  maxAgeMs: 60_000,
}
/** Polls per request for the tags. */
const pollsPerFinality = 8
const tags = ['safe', 'finalized'] as const

function follow(
  t: TestContext,
  sources: readonly MovingNode[],
  chain: ReturnType<typeof createMovingChain>,
  over: Partial<HeadSettings> = {},
) {
  const clock = createManualClock()
  let rollbacks = 0
  const follower = createHeadFollower({
    network: 'test',
    sources,
    settings: { ...settings, ...over },
    header: async (hash) => chain.header(hash),
    older: {
      get: async () => assert.fail('asked for an older block'),
      forget: () => void (rollbacks += 1),
    },
    locate: () => assert.fail('asked for a transaction'),
    clock,
    log: silentLog,
  })
  t.after(() => follower.stop())
  const poll = async (count = 1) => {
    for (let at = 0; at < count; at += 1) {
      await follower.poll()
      assertOnBranch()
    }
  }
  /** The test chain's block for a served one, with links to its parents. */
  const served = (ref: BlockRef | null): MovingBlock | null =>
    ref === null ? null : chain.block(ref.hash)

  function assertOnBranch(): void {
    const head = served(follower.latest())
    assert(head)
    for (const tag of tags) {
      const ref = follower[tag]()
      if (ref === null) continue
      const found = below(head, Number(head.number - ref.number))
      assert.ok(
        equalBytes(found.hash, ref.hash),
        `${tag} ${ref.number} is not on the branch of ${head.number}`,
      )
    }
  }
  const numbers = () => tags.map((tag) => follower[tag]()?.number ?? null)
  return { follower, clock, poll, served, numbers, rollbacks: () => rollbacks }
}

/** Makes all of `nodes` report these. */
function move(
  nodes: readonly MovingNode[],
  latest: MovingBlock,
  safe: MovingBlock | null,
  finalized: MovingBlock | null,
): void {
  for (const node of nodes) Object.assign(node, { latest, safe, finalized })
}

const kinds = {
  trusted: (head: MovingBlock) => [
    movingNode('own', head, true),
    movingNode('one', head),
    movingNode('two', head),
  ],
  quorum: (head: MovingBlock) => ['one', 'two', 'three'].map((name) => movingNode(name, head)),
  'one untrusted': (head: MovingBlock) => [movingNode('one', head)],
}

for (const [kind, makeNodes] of Object.entries(kinds)) {
  test(`after a reorg to lower numbers safe and finalized are those of the new branch: ${kind}`, async (t) => {
    const chain = createMovingChain()
    const first = chain.grow(null, 101)
    const nodes = makeNodes(first)
    move(nodes, first, below(first, 10), below(first, 20))
    const { poll, numbers, rollbacks } = follow(t, nodes, chain)
    await poll()
    assert.deepEqual(numbers(), [90n, 80n])
    const other = chain.grow(below(first, 40), 41)
    move(nodes, other, below(other, 45), below(other, 50))
    await poll()
    assert.deepEqual(numbers(), [56n, 51n], 'without a moment in which there is none')
    assert.equal(rollbacks(), 1)
    // Still on the branch, but lower.
    const third = chain.grow(below(other, 5), 6)
    move(nodes, third, below(third, 60), below(third, 70))
    await poll(2)
    assert.deepEqual(numbers(), [42n, 32n])
  })

  test(`tags stand on the branch of the served head through reorgs of 1 to 64 blocks: ${kind}`, async (t) => {
    const seed = Number(process.env['CAIRN_SEED'] ?? 20_16)
    const random = seeded(seed)
    const chain = createMovingChain()
    let head = chain.grow(null, 300)
    const nodes = makeNodes(head)
    const [depthSafe, depthFinal] = [random(30), 40 + random(30)]
    let tagged = { safe: below(head, depthSafe), finalized: below(head, depthFinal) }
    move(nodes, head, tagged.safe, tagged.finalized)
    const { poll, follower } = follow(t, nodes, chain)
    await poll()
    const faulty = kind === 'quorum' ? nodes.at(-1) : null
    for (let step = 0; step < 60; step += 1) {
      const depth = random(3) === 0 ? 0 : 1 + random(64)
      head = chain.grow(below(head, depth), 1 + random(depth + 4))
      const safeNow = below(head, random(70))
      const finalNow = below(safeNow, random(70))
      // Without a reorg the tags only rise.
      const isRaise = depth === 0
      const safe = isRaise && safeNow.number < tagged.safe.number ? tagged.safe : safeNow
      const finalized =
        isRaise && finalNow.number < tagged.finalized.number ? tagged.finalized : finalNow
      tagged = { safe, finalized }
      const honest = [...nodes].filter((node) => node !== faulty || random(2) === 0)
      if (faulty !== null && faulty !== undefined && !honest.includes(faulty)) {
        const falseHead = chain.grow(below(head, random(80)), 1 + random(100))
        move([faulty], falseHead, below(falseHead, random(20)), below(falseHead, random(40)))
      }
      // One after the other, because nodes receive a block at different times.
      for (const node of honest.toSorted(() => random(3) - 1)) {
        move([node], head, safe, finalized)
        if (random(2) === 0) await poll()
      }
      await poll(pollsPerFinality + 1)
      const served = [follower.latest(), follower.safe(), follower.finalized()]
      for (const [at, block] of [head, safe, finalized].entries()) {
        assert.equal(served[at]?.number, block.number, `seed ${seed}, step ${step}, block ${at}`)
        assert.ok(served[at] && equalBytes(served[at].hash, block.hash))
      }
    }
  })
}

test('a node that lags does not move tags back without a reorg', async (t) => {
  const chain = createMovingChain()
  const head = chain.grow(null, 101)
  const node = movingNode('one', head)
  move([node], head, below(head, 10), below(head, 20))
  const { poll, numbers } = follow(t, [node], chain)
  await poll()
  move([node], below(head, 4), below(head, 14), below(head, 24))
  await poll(pollsPerFinality)
  assert.deepEqual(numbers(), [90n, 80n])
})

test('a tag below the known blocks is searched on the branch, and dropped if it is on another', async (t) => {
  const chain = createMovingChain()
  const head = chain.grow(null, 201)
  const node = movingNode('one', head)
  // As reported by a load balancer with nodes on two branches.
  const other = chain.grow(below(head, 100), 101)
  move([node], head, below(other, 70), below(head, 90))
  const { poll, numbers, follower } = follow(t, [node], chain)
  await follower.poll()
  for (let turn = 0; turn < 1_000 && follower.safe() !== null; turn += 1) await follower.poll()
  await poll()
  assert.deepEqual(numbers(), [null, 110n])
})

test('one untrusted upstream alone does not roll back a block that others reported as finalized', async (t) => {
  for (const kind of ['trusted', 'quorum'] as const) {
    const chain = createMovingChain()
    const head = chain.grow(null, 101)
    const nodes = kinds[kind](head)
    move(nodes, head, below(head, 10), below(head, 20))
    const { poll, numbers, follower, clock } = follow(t, nodes, chain)
    await poll()
    const faulty = nodes.at(-1)
    assert(faulty)
    const falseHead = chain.grow(below(head, 30), 80)
    move([faulty], falseHead, below(falseHead, 60), below(falseHead, 65))
    await poll(2 * pollsPerFinality)
    assert.deepEqual(numbers(), [90n, 80n])
    // Unreachable for longer than the maximum age of a head, except for the faulty node.
    for (const node of nodes) node.down = node !== faulty
    clock.advance(settings.maxAgeMs + 1)
    await follower.poll()
    assert.throws(() => follower.latest(), { code: 'unverified' })
    assert.throws(() => follower.finalized(), { code: 'unverified' })
    // A head on the branch of the finalized block is served again, with its label.
    const honest = chain.grow(head, 3)
    move([faulty], honest, below(honest, 60), below(honest, 65))
    await poll(2)
    assert.equal(follower.latest().anchor, 'single')
    assert.deepEqual(numbers(), [90n, 80n])
  }
})

test('tags of a trusted upstream that is no longer reachable do not block the others', async (t) => {
  const chain = createMovingChain()
  const head = chain.grow(null, 101)
  const nodes = kinds.trusted(head)
  move(nodes, head, below(head, 10), below(head, 20))
  const { poll, numbers, follower, clock } = follow(t, nodes, chain)
  await poll()
  const [own, ...others] = nodes
  assert(own)
  own.down = true
  clock.advance(settings.pollMs)
  const next = chain.grow(head, 20)
  move(others, next, below(next, 5), below(next, 10))
  await poll(pollsPerFinality)
  assert.equal(follower.finalized()?.anchor, 'quorum:2/3')
  assert.deepEqual(numbers(), [115n, 110n])
})
