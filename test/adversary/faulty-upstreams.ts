// Upstreams that falsify their replies to every read in some 130 ways: alone, trusted or not, and among honest ones. Cairn runs in
// this process behind real HTTP.
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Writer } from '../../src/db/writer.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { createRandom, type Falsehood, pick } from '../fakes/upstream/falsehood.ts'
import { falsehoods, makeFaultyUpstream } from '../fakes/upstream/faulty-upstream.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openUpstreamCase, type ReadAnswer } from '../fakes/upstream/upstream-network.ts'
import { canonical, type Read, readsByNumber, readsOf, truthOf } from '../upstream/reads.ts'
import { createScope, type Section, type SectionRun } from './section.ts'
import type { Verdict } from './tally.ts'

type Setup = {
  readonly name: string
  readonly faulty: number
  readonly honest: number
  /** The first faulty upstream is configured as trusted. */
  readonly trusted: boolean
}

const setups: readonly Setup[] = [
  { name: 'one faulty trusted upstream', faulty: 1, honest: 0, trusted: true },
  { name: 'one faulty untrusted upstream', faulty: 1, honest: 0, trusted: false },
  { name: 'three upstreams, one faulty', faulty: 1, honest: 2, trusted: false },
  { name: 'three upstreams, two with the same faults', faulty: 2, honest: 1, trusted: false },
]

type InvalidReply = {
  readonly setup: Setup
  readonly kind: Falsehood
  readonly seed: number
  readonly reads: readonly Read[]
}

type Cast = {
  readonly nodes: readonly StubUpstream[]
  /** Always honest, and used only by the run. */
  readonly model: StubUpstream
  readonly writer: Writer
}

/** Reads of each network before the next network, with other false replies, is opened. */
const readsPerCase = 6

export const lyingUpstreams: Section = {
  name: 'lying upstreams',
  share: 0.45,
  async run(run) {
    const chain = await openStubChain()
    const scope = createScope()
    const random = createRandom(run.seed)
    const [model, ...nodes] = await Promise.all(
      [0, 1, 2, 3].map(() => startStubUpstream(scope, chain)),
    )
    if (model === undefined) throw new Error('no upstream was started')
    const writer = createInlineWriter(openChainDatabase(scope).database)
    const end = systemClock.monotonic() + run.budgetMs
    try {
      for (let at = 0; systemClock.monotonic() < end; at += 1) {
        const setup = setups[at % setups.length] as Setup
        const kind = falsehoods[Math.floor(at / setups.length) % falsehoods.length] as Falsehood
        const blocks = [pick(random, chain.recorded.slice(1)), chain.recorded.at(-1)]
        const reads = blocks.flatMap((block) =>
          block === undefined ? [] : [...readsOf(block), ...readsByNumber(block)],
        )
        const chosen = Array.from({ length: readsPerCase }, () => pick(random, reads) as Read)
        const attack = { setup, kind, seed: run.seed + at, reads: chosen }
        await attackReads(run, attack, { nodes, model, writer })
      }
    } finally {
      await scope.close()
    }
  },
}

async function attackReads(
  { tally, report }: SectionRun,
  { setup, kind, seed, reads }: InvalidReply,
  { nodes, model, writer }: Cast,
): Promise<void> {
  const used = nodes.slice(0, setup.faulty + setup.honest)
  const isRaw = kind.methods.some((method) => method.startsWith('debug_'))
  for (const [at, node] of used.entries()) {
    const isFaulty = at < setup.faulty
    node.knobs.falsify = null
    node.knobs.lacks = (method) => isFaulty && !isRaw && method.startsWith('debug_')
    // Upstreams with the same seed send the same false replies. Excludes the block at a number: heads are a separate attack.
    const only = ({ method }: { readonly method: string }) => method !== 'eth_getBlockByNumber'
    if (isFaulty) makeFaultyUpstream(node, { seed, among: [kind], only })
  }
  const opened = await openUpstreamCase({
    name: 'case',
    stubs: used,
    trusted: setup.trusted ? [0] : [],
    ledger: createInvalidReplyLog({ network: 'case', writer, clock: systemClock, log: silentLog }),
  })
  try {
    for (const read of reads) {
      const answer = await opened.read(read.method, read.params)
      const [label, verdict] = compare(answer, await truthOf(model, read))
      tally.add(setup.name, label, verdict)
      if (verdict === 'wrong' && label === 'proof') {
        const what = `${kind.subject} ${kind.name}, ${read.method} ${JSON.stringify(read.params)}`
        report(`${setup.name}: ${what} (seed ${seed})`)
      }
    }
    await opened.idle()
  } finally {
    await opened.close()
  }
}

function compare(answer: ReadAnswer, truth: string): readonly [label: string, verdict: Verdict] {
  if ('fault' in answer) return ['-', 'refused']
  const isTrue = canonical(answer.result) === truth
  return [answer.level ?? 'none', isTrue ? 'right' : 'wrong']
}
