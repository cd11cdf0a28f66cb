// Reorgs of 1 to 64 blocks, with moving `safe` and `finalized`, behind one trusted upstream, one untrusted one, and three of which
// one may follow its own branch. Cairn's `latest`, `safe` and `finalized` must be on one branch at every instant, and must be those
// that enough upstreams report once all have been queried.
import { equalBytes } from '../../src/base/hex.ts'
import { silentLog } from '../../src/base/log.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { BlockRef } from '../../src/chain/head.ts'
import { createHeadFollower } from '../../src/chain/upstream/head/head-follower.ts'
import {
  below,
  createMovingChain,
  type MovingBlock,
  type MovingChain,
  type MovingNode,
  movingNode,
} from '../fakes/upstream/moving-chain.ts'
import { seeded } from '../fakes/seeded.ts'
import { createManualClock } from '../fakes/manual-clock.ts'
import type { Section, SectionRun } from './section.ts'

const setups = [
  'one trusted upstream',
  'one untrusted upstream',
  'three upstreams, one on another branch',
] as const
type Setup = (typeof setups)[number]

/** Reorgs per chain, before another chain is used. */
const stepsPerChain = 40
/** Number of polls between the follower's requests for the tags. */
const pollsPerFinality = 8

export const reorganisedHeads: Section = {
  name: 'reorganised heads',
  share: 0.1,
  async run(run) {
    const end = systemClock.monotonic() + run.budgetMs
    for (let at = 0; systemClock.monotonic() < end; at += 1) {
      await reorganise(setups[at % setups.length] as Setup, run, run.seed + at)
    }
  },
}

function nodesOf(setup: Setup, head: MovingBlock): readonly MovingNode[] {
  if (setup === 'one trusted upstream') return [movingNode('own', head, true)]
  if (setup === 'one untrusted upstream') return [movingNode('one', head)]
  return ['one', 'two', 'three'].map((name) => movingNode(name, head))
}

async function reorganise(
  setup: Setup,
  { tally, report }: SectionRun,
  seed: number,
): Promise<void> {
  const random = seeded(seed)
  const chain = createMovingChain()
  let head = chain.grow(null, 300)
  const nodes = nodesOf(setup, head)
  const stray = nodes.length > 1 ? nodes.at(-1) : undefined
  let named = { latest: head, safe: below(head, 10), finalized: below(head, 40) }
  for (const node of nodes) Object.assign(node, named)
  const follower = createHeadFollower({
    network: 'test',
    sources: nodes,
    settings: { quorum: 2, quorumRequired: false, pollMs: 1_000, maxAgeMs: 60_000 },
    header: async (hash) => chain.header(hash),
    older: { get: () => Promise.reject(new Error('no older block is needed')), forget: () => {} },
    locate: () => {
      throw new Error('no transaction is needed')
    },
    clock: createManualClock(),
    log: silentLog,
  })
  const served = () => ({
    latest: follower.latest(),
    safe: follower.safe(),
    finalized: follower.finalized(),
  })
  const poll = async (): Promise<void> => {
    await follower.poll()
    const isOne = onOneBranch(chain, served())
    tally.add(`reorg of 1 to 64 blocks, ${setup}`, 'head', isOne ? 'right' : 'wrong')
    if (!isOne) report(`a tag is not on the branch of latest: ${setup} (seed ${seed})`)
  }
  // The follower polls when it is created: the chain moves after that reply.
  for (let polls = 0; polls < 2; polls += 1) await follower.poll()
  try {
    for (let step = 0; step < stepsPerChain; step += 1) {
      const depth = random(4) === 0 ? 0 : 1 + random(64)
      head = chain.grow(below(head, depth), 1 + random(depth + 4))
      named = nextTags(head, depth, named, random)
      for (const node of nodes) {
        if (node === stray && random(2) === 0) {
          const own = chain.grow(below(head, random(80)), 1 + random(100))
          Object.assign(node, { latest: own, safe: below(own, 20), finalized: below(own, 40) })
        } else Object.assign(node, named)
        if (random(2) === 0) await poll()
      }
      for (let polls = 0; polls <= pollsPerFinality; polls += 1) await poll()
      for (const tag of ['latest', 'safe', 'finalized'] as const) {
        const block = served()[tag]
        const isRight = block !== null && equalBytes(block.hash, named[tag].hash)
        const verdict = isRight ? 'right' : block === null ? 'refused' : 'wrong'
        tally.add(`reorg of 1 to 64 blocks, ${setup}`, 'head', verdict)
        if (verdict === 'wrong') report(`${tag} is not the block named: ${setup} (seed ${seed})`)
      }
    }
  } finally {
    follower.stop()
  }
}

type Tags = {
  readonly latest: MovingBlock
  readonly safe: MovingBlock
  readonly finalized: MovingBlock
}

/** Without a reorg, tags only advance. */
function nextTags(
  latest: MovingBlock,
  depth: number,
  last: Tags,
  random: (limit: number) => number,
): Tags {
  const safe = below(latest, random(70))
  const finalized = below(safe, random(70))
  const higher = (next: MovingBlock, before: MovingBlock) =>
    depth === 0 && next.number < before.number ? before : next
  return { latest, safe: higher(safe, last.safe), finalized: higher(finalized, last.finalized) }
}

function onOneBranch(
  chain: MovingChain,
  { latest, ...tags }: Readonly<Record<'latest' | 'safe' | 'finalized', BlockRef | null>>,
): boolean {
  if (latest === null) return false
  const head = chain.block(latest.hash)
  return Object.values(tags).every(
    (tag) =>
      tag === null || equalBytes(below(head, Number(head.number - tag.number)).hash, tag.hash),
  )
}
