// Three upstreams, one with severe and one with mild failures: every failure mode of a network or a server.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { startBehind } from '../behind-upstreams.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { createRandom, pick, type Random } from '../fakes/upstream/falsehood.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { type Trouble, troubles } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openUpstreamCase, patientMs } from '../fakes/upstream/upstream-network.ts'
import { allReads, canonical, type Read, truthOf } from './reads.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

/** Lets one upstream fail for a share of its requests or its time, 0 to 1; returns a function that ends the failures. */
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
const readsPerKind = 60
const atOnce = 8

type Tally = { served: number; wrong: string[]; failed: string[] }

/** Sends one read; returns the result or the failure. */
type Ask = (read: Read) => Promise<{ readonly result: unknown } | { readonly failure: string }>

/** The server or network under test, in front of three upstreams, opened before the failures begin. */
type Open = (t: TestContext, kind: string, stubs: readonly StubUpstream[]) => Promise<Opened>
type Opened = { readonly ask: Ask; end(): Promise<unknown> }

/** Short timeouts, so that the test does not wait for failing upstreams. */
const timeoutMsOf = (index: number) => (index < 2 ? 2_000 : patientMs)

const openNetwork: Open = async (t, kind, stubs) => {
  const { database } = openChainDatabase(t)
  const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
  const ledger = createInvalidReplyLog({ network: kind, ...parts })
  const heads = { pollMs: 200 }
  const opened = await openUpstreamCase({ name: kind, stubs, ledger, timeoutMsOf, heads })
  return {
    async ask({ method, params }) {
      const answer = await opened.read(method, params)
      return 'fault' in answer ? { failure: answer.fault } : answer
    },
    async end() {
      await opened.close()
      await opened.idle()
    },
  }
}

const openServer: Open = async (t, _kind, stubs) => {
  const cairn = await startBehind(
    t,
    stubs.map(({ url }, index) => ({ url, timeoutMs: timeoutMsOf(index) })),
    {
      chainId: Number(chain.chainId),
      verify: 'require',
      heads: { pollMs: 200 },
      blobSchedule: [{ from: 420, baseFeeUpdateFraction: 11_684_671 }],
    },
  )
  return {
    async ask({ method, params }) {
      const { result, error, text } = await cairn.ask(method, params)
      return error === undefined ? { result } : { failure: text }
    },
    end: () => cairn.stop(),
  }
}

async function askThrough(t: TestContext, kind: string, begin: Begin, open: Open): Promise<Tally> {
  const random = createRandom(seed ^ kind.length)
  const stubs = await Promise.all([0, 1, 2].map(() => startStubUpstream(t, chain)))
  const [bad, middling, good] = stubs as [StubUpstream, StubUpstream, StubUpstream]
  const opened = await open(t, kind, stubs)
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
        const answer = await opened.ask(read)
        const about = `${kind}: ${read.method} ${JSON.stringify(read.params)}`
        if ('failure' in answer) tally.failed.push(`${about}: ${answer.failure}`)
        else if (canonical(answer.result) !== (await truthOf(good, read))) tally.wrong.push(about)
        else tally.served += 1
      }
    }),
  )
  for (const end of ends) await end()
  await opened.end()
  await Promise.all(stubs.map((stub) => stub.stop()))
  return tally
}

/** The worst failure modes run against a started server, the others against a network opened in this process. */
const throughServer: ReadonlySet<string> = new Set(['no answer', 'any of them, by chance'])

test('in twenty failure modes 99.9 % of requests are served, and none incorrectly', async (t) => {
  const tally: Tally = { served: 0, wrong: [], failed: [] }
  assert.equal(Object.keys(kinds).length, 20)
  for (const [kind, begin] of Object.entries(kinds)) {
    const { served, wrong, failed } = await askThrough(
      t,
      kind,
      begin,
      throughServer.has(kind) ? openServer : openNetwork,
    )
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
