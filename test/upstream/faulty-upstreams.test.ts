// Upstreams with more than five hundred kinds of false replies: no wrong answer is served, nothing wrong is stored,
// faulty upstreams are reported and quarantined, and every request succeeds while one honest upstream remains.
// Tests guarantee 5 of docs/explanation/guarantees.md
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { verifyKeccakKinds } from '../../src/codec/hash/verify-keccak.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import {
  createInvalidReplyLog,
  type InvalidReply,
} from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { findAll } from '../../src/db/sqlite-rows.ts'
import { listInvalidReplies } from '../../src/tables/invalid-replies.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { createRandom, type Falsehood, pick, type Random } from '../fakes/upstream/falsehood.ts'
import {
  falsehoods,
  type FaultyUpstream,
  makeFaultyUpstream,
} from '../fakes/upstream/faulty-upstream.ts'
import { openStubChain, type StubBlock, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import {
  openUpstreamCase,
  type ReadAnswer,
  type UpstreamCase,
} from '../fakes/upstream/upstream-network.ts'
import { canonical, type Read, readsOf, truthOf } from './reads.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? 20_261_121)
let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

type Bench = {
  readonly honest: StubUpstream
  readonly faultyUpstreams: readonly StubUpstream[]
  open(name: string, stubs: readonly StubUpstream[]): Promise<UpstreamCase>
  invalidRepliesOf(name: string): readonly InvalidReply[]
}

/** Log of all cases together: the entries of one case are among the newest. */
const newestReplies = 40

async function setUp(t: TestContext): Promise<Bench> {
  const { database } = openChainDatabase(t)
  const writer = createInlineWriter(database)
  const honest = await startStubUpstream(t, chain)
  const faultyUpstreams = [await startStubUpstream(t, chain), await startStubUpstream(t, chain)]
  return {
    honest,
    faultyUpstreams,
    open: (network, stubs) => {
      const ledger = createInvalidReplyLog({ network, writer, clock: systemClock, log: silentLog })
      return openUpstreamCase({ name: network, stubs, ledger })
    },
    invalidRepliesOf: (name) =>
      findAll(database, listInvalidReplies(newestReplies)).filter(
        ({ network }) => network === name,
      ),
  }
}

/** Excludes the block at a number: enough faulty upstreams that agree can forge it. */
function isByHash({ method }: { readonly method: string }): boolean {
  return method !== 'eth_getBlockByNumber'
}

type Case = {
  readonly falsehood: Falsehood
  readonly read: Read
  readonly seed: number
}

/** Falsehoods about replies that a proof uses. */
const provable = falsehoods.filter(({ methods }) => !methods.includes('eth_getStorageAt'))

/** At most `count` cases. Falsehoods alternate, each with a read whose replies it can falsify. */
async function* drawCases(honest: StubUpstream, count: number): AsyncGenerator<Case> {
  const random = createRandom(seed)
  for (let at = 0; at < count; at += 1) {
    const falsehood = provable[at % provable.length] ?? assert.fail()
    for (let tries = 0; tries < drawsMax; tries += 1) {
      const block = pick(random, chain.recorded.slice(1)) ?? assert.fail()
      const fitting = readsOf(block).filter(({ method }) => brings(method, falsehood.methods))
      const read = pick(random, fitting) ?? assert.fail()
      if (!(await canTell(honest, falsehood, block, read, random))) continue
      yield { falsehood, read, seed: seed + at }
      break
    }
  }
}

const drawsMax = 40

async function canTell(
  honest: StubUpstream,
  { methods, falsify }: Falsehood,
  block: StubBlock,
  read: Read,
  random: Random,
): Promise<boolean> {
  for (const [method, params] of callsFor(read, block)) {
    if (!methods.includes(method)) continue
    const result = structuredClone(await honest.honest(method, params))
    const asked = { method, params, result, random, chain, honest: honest.honest }
    return (await falsify(asked)) !== undefined
  }
  return false
}

/** The upstream methods that a read may use. */
function callsFor(
  { method, params }: Read,
  { hash }: StubBlock,
): readonly (readonly [string, readonly unknown[]])[] {
  const pinned = { blockHash: hash }
  const [address, position] = params
  switch (method) {
    case 'eth_getStorageAt':
      return [['eth_getProof', [address, [position], pinned]]]
    case 'eth_getProof':
      return [['eth_getProof', params]]
    case 'eth_getBalance':
    case 'eth_getTransactionCount':
      return [['eth_getProof', [address, [], pinned]]]
    case 'eth_getCode':
      return [
        ['eth_getProof', [address, [], pinned]],
        ['eth_getCode', [address, pinned]],
      ]
    default:
      return [
        ...(/ByHash$|Receipt$/.test(method) && !/Block/.test(method)
          ? ([['eth_getTransactionByHash', params]] as const)
          : []),
        ...(/Receipt|Logs/.test(method)
          ? ([
              ['eth_getBlockReceipts', [hash]],
              ['debug_getRawReceipts', [hash]],
            ] as const)
          : []),
        ['eth_getBlockByHash', [hash, !/Receipts/.test(method) || params[1] === true]],
        ['debug_getRawBlock', [hash]],
        ['debug_getRawHeader', [hash]],
      ]
  }
}

/** True if a read by this method makes calls of one of these methods. */
function brings(method: string, calls: readonly string[]): boolean {
  const isState = /StorageAt|Balance|Count|Code|Proof/.test(method)
  if (calls.includes('eth_getCode')) return method === 'eth_getCode'
  if (calls.includes('eth_getProof')) return isState
  if (calls.some((call) => /Receipts/.test(call) && !/Block/.test(call)))
    return /Receipt|Logs/.test(method)
  if (calls.includes('eth_getBlockReceipts') && calls.length === 1)
    return /Receipt|Logs/.test(method)
  if (calls.includes('eth_getTransactionByHash'))
    return /ByHash$|Receipt$/.test(method) && !/Block/.test(method)
  return !isState
}

/** Lets the upstreams send this falsehood, and support the calls that it applies to. */
function corrupt(
  faultyUpstreams: readonly StubUpstream[],
  { falsehood, seed: own }: Case,
): readonly FaultyUpstream[] {
  const isRaw = falsehood.methods.some((method) => method.startsWith('debug_'))
  return faultyUpstreams.map((faulty) => {
    faulty.knobs.lacks = (method) => !isRaw && method.startsWith('debug_')
    return makeFaultyUpstream(faulty, { seed: own, among: [falsehood], only: isByHash })
  })
}

function assertHonest(
  { lines }: UpstreamCase,
  answer: ReadAnswer,
  truth: string,
  about: string,
): void {
  assert.ok('result' in answer, `${about}: ${JSON.stringify(answer)}\n${lines.join('\n')}`)
  assert.equal(canonical(answer.result), truth, about)
  // A transaction is searched by its hash, and can be proved only after it was found.
  if (answer.result !== null) assert.equal(answer.level, 'proof', about)
}

function assertClean({ stored }: UpstreamCase, about: string): void {
  for (const { ref, bytes } of stored) {
    assert.doesNotThrow(() => verifyKeccakKinds(ref as never, bytes), about)
  }
}

const roundsMax = 10
const enough = 520
const lanes = 4
const differentMin = 500

test('with one faulty upstream of two, every read returns the correct answer, and the faulty one is quarantined within ten reads', async (t) => {
  const different = new Set<string>()
  const quiet = new Set(provable.map(({ name }) => name))
  const counts = { caught: 0, missed: 0 }
  const model = await startStubUpstream(t, chain)
  const cases = drawCases(model, roundsMax * provable.length)

  async function checkCase(
    drawn: Case,
    { honest, faultyUpstreams, open, invalidRepliesOf }: Bench,
  ): Promise<void> {
    const { falsehood, read } = drawn
    const [first] = faultyUpstreams as [StubUpstream]
    const truth = await truthOf(honest, read)
    const [faulty] = corrupt([first], drawn) as [FaultyUpstream]
    const name = `case ${drawn.seed - seed}`
    const opened = await open(name, [first, honest])
    const about = `seed ${seed}, ${name}: ${falsehood.subject} ${falsehood.name}, ${read.method} ${JSON.stringify(read.params)}`
    assertHonest(opened, await opened.read(read.method, read.params), truth, about)
    await opened.idle()
    assertClean(opened, about)
    for (const { digest } of faulty.sent) different.add(digest)
    const hasSent = faulty.sent.length > 0
    if (hasSent) quiet.delete(falsehood.name)
    const isContradiction = hasSent && falsehood.nature === 'contradiction'
    const isKnown = () => invalidRepliesOf(name).length > 0
    // Another upstream may have been faster. The invalid reply is then not verified.
    for (const again of isContradiction ? similarTo(drawn) : []) {
      if (await soon(isKnown)) break
      assertHonest(
        opened,
        await opened.read(again.method, again.params),
        await truthOf(honest, again),
        about,
      )
    }
    const invalidReplies = invalidRepliesOf(name)
    assert.deepEqual(
      invalidReplies.filter(({ upstream }) => upstream !== 'upstream 0'),
      [],
      about,
    )
    const { state } = opened.pool.upstreams[0]?.status() ?? assert.fail()
    if (isContradiction && isKnown()) {
      counts.caught += 1
      assert.equal(state, 'quarantined', about)
    } else if (isContradiction) {
      counts.missed += 1
      assert.ok(faulty.sent.length < 10, `${about}: ten times unnoticed`)
    }
    if (falsehood.nature === 'harmless' || falsehood.nature === 'omission') {
      assert.deepEqual(invalidReplies, [], about)
    }
    await opened.close()
  }

  /** Sequentially in one lane; lanes run in parallel. */
  async function lane(bench: Bench): Promise<void> {
    // The faulty upstream is faster, so it is queried first.
    bench.honest.knobs.latencyMs = () => 10
    for (;;) {
      const { value } = await cases.next()
      if (value === undefined) return
      const drawn = value as Case
      if (drawn.seed - seed >= 3 * provable.length && different.size >= enough) return
      await checkCase(drawn, bench)
    }
  }

  const benches = await Promise.all(Array.from({ length: lanes }, () => setUp(t)))
  await Promise.all(benches.map(lane))
  const { caught, missed } = counts
  t.diagnostic(
    `${different.size} falsifications that differ, 0 wrong answers; ${caught} faulty upstreams quarantined, ${missed} slower than an honest one; never sent: ${[...quiet].join(', ')}`,
  )
  assert.ok(different.size >= differentMin, `${different.size}`)
  assert.ok(caught > 20 * missed, `${missed} of ${caught + missed} faultyUpstreams went unnoticed`)
})

test('two faulty upstreams that agree cannot change a proved answer', async (t) => {
  const { honest, faultyUpstreams, open } = await setUp(t)
  for await (const drawn of drawCases(honest, provable.length)) {
    const { falsehood, read } = drawn
    const at = drawn.seed - seed
    const truth = await truthOf(honest, read)
    corrupt(faultyUpstreams, drawn)
    const opened = await open(`case ${at}`, [...faultyUpstreams, honest])
    const about = `seed ${seed}: ${falsehood.name}, ${read.method} ${JSON.stringify(read.params)}`
    assertHonest(opened, await opened.read(read.method, read.params), truth, about)
    await opened.idle()
    assertClean(opened, about)
    await opened.close()
  }
})

test('with faulty upstreams only, each reply is the correct answer or an error', async (t) => {
  const { honest, faultyUpstreams, open } = await setUp(t)
  let refused = 0
  for await (const drawn of drawCases(honest, provable.length)) {
    const { falsehood, read } = drawn
    const at = drawn.seed - seed
    const truth = await truthOf(honest, read)
    corrupt(faultyUpstreams, drawn)
    const opened = await open(`case ${at}`, faultyUpstreams)
    const about = `seed ${seed}: ${falsehood.name}, ${read.method} ${JSON.stringify(read.params)}`
    const answer = await opened.read(read.method, read.params)
    if ('fault' in answer) refused += 1
    else if (isUnmined(answer.result)) assert.notEqual(answer.level, 'proof', about)
    else if (answer.result !== null) assertHonest(opened, answer, truth, about)
    else assert.ok(truth === 'null' || answer.level !== 'proof', about)
    await opened.idle()
    assertClean(opened, about)
    await opened.close()
  }
  assert.ok(refused > 20, `${refused} refused`)
})

/** A transaction without a block: as for absence, Cairn has only the claims of upstreams. */
function isUnmined(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'blockHash' in result
    ? result.blockHash === null
    : false
}

/** Nine more reads of other blocks with the same falsehood. */
function similarTo({ falsehood, read }: Case): readonly Read[] {
  return chain.recorded
    .slice(1)
    .flatMap(readsOf)
    .filter(({ method }) => method === read.method && brings(method, falsehood.methods))
    .slice(-9)
}

const triesMax = 20

/** Verification of a reply finishes after the answer was sent. */
async function soon(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < triesMax && !holds(); tries += 1) {
    await new Promise<void>((resolve) => systemClock.after(5, resolve))
  }
  return holds()
}
