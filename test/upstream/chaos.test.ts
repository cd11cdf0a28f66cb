// Three upstreams, one in bad trouble and one in some: every kind of trouble that a network or a server can be in.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { startBehind } from '../behind-upstreams.ts'
import { missingVectors } from '../fakes/chain-vectors.ts'
import { createRandom, pick, type Random } from '../fakes/falsehood.ts'
import { openStubChain, type StubChain } from '../fakes/stub-chain.ts'
import { type Trouble, troubles } from '../fakes/stub-knobs.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/stub-upstream.ts'
import { allReads, canonical, truthOf } from './reads.ts'

const skip = missingVectors
let chain: StubChain

before(async () => {
  if (skip === false) chain = await openStubChain()
})

/** Puts one upstream in trouble for a share of its requests or its time, 0 to 1; returns what ends it. */
type Begin = (stub: StubUpstream, share: number, random: Random) => () => unknown

function inTrouble(trouble: Trouble): Begin {
  return ({ knobs }, share, random) => {
    knobs.trouble = () => (random() < share ? trouble : null)
    return () => (knobs.trouble = () => null)
  }
}

const kinds: Readonly<Record<string, Begin>> = {
  ...Object.fromEntries(troubles.map((trouble) => [trouble, inTrouble(trouble)])),
  'replies that come late': ({ knobs }, share, random) => {
    knobs.latencyMs = () => (random() < share ? 400 : 0)
    return () => (knobs.latencyMs = () => 0)
  },
  'a port that closes and opens': (stub, share) => {
    let ended = false
    const cycle = async () => {
      while (!ended) {
        await pause(200 * (1 - share))
        await stub.stop()
        await pause(200 * share)
        await stub.start()
      }
    }
    const done = cycle()
    return async () => {
      ended = true
      await done
    }
  },
  'a head that lags': ({ knobs }, share) => {
    knobs.lag = Math.round(20 * share)
    return () => (knobs.lag = 0)
  },
  'any of them, by chance': ({ knobs }, share, random) => {
    knobs.trouble = () => (random() < share ? (pick(random, troubles) ?? null) : null)
    return () => (knobs.trouble = () => null)
  },
}

const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve))
const seed = Number(process.env['CAIRN_SEED'] ?? 20_261_121)
const readsPerKind = 52
const atOnce = 8

type Tally = { served: number; wrong: string[]; failed: string[] }

async function askThrough(t: TestContext, kind: string, begin: Begin): Promise<Tally> {
  const random = createRandom(seed ^ kind.length)
  const stubs = await Promise.all([0, 1, 2].map(() => startStubUpstream(t, chain)))
  const [bad, middling, good] = stubs as [StubUpstream, StubUpstream, StubUpstream]
  const cairn = await startBehind(
    t,
    stubs.map(({ url }) => ({ url, timeoutMs: 1_500 })),
    { chainId: Number(chain.chainId), verify: 'require', heads: { pollMs: 200 } },
  )
  const ends = [begin(bad, 0.5, random), begin(middling, 0.2, random)]
  const reads = allReads(chain)
    .map((read) => ({ read, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .slice(0, readsPerKind)
  const tally: Tally = { served: 0, wrong: [], failed: [] }
  const next = reads.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const { read } of next) {
        const { result, error, text } = await cairn.ask(read.method, read.params)
        const about = `${kind}: ${read.method} ${JSON.stringify(read.params)}`
        if (error !== undefined) tally.failed.push(`${about}: ${text}`)
        else if (canonical(result) !== (await truthOf(good, read))) tally.wrong.push(about)
        else tally.served += 1
      }
    }),
  )
  for (const end of ends) await end()
  // Nothing of it is looked at again, and a drain takes its time.
  await cairn.kill()
  return tally
}

test('in twenty kinds of trouble 99.9 % are served, and not one wrong', { skip }, async (t) => {
  const tally: Tally = { served: 0, wrong: [], failed: [] }
  assert.equal(Object.keys(kinds).length, 20)
  for (const [kind, begin] of Object.entries(kinds)) {
    const { served, wrong, failed } = await askThrough(t, kind, begin)
    tally.served += served
    tally.wrong.push(...wrong)
    tally.failed.push(...failed)
    t.diagnostic(`${kind}: ${served} served, ${failed.length} failed, ${wrong.length} wrong`)
  }
  assert.deepEqual(tally.wrong, [])
  const all = tally.served + tally.failed.length
  assert.ok(
    tally.failed.length <= all / 1000,
    `seed ${seed}: ${tally.failed.slice(0, 5).join('\n')}`,
  )
})
