// A started server in front of faulty upstreams: charges of each account, stored content, and the report of the
// faulty upstream.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { type CairnWithUpstreams, startBehind } from '../behind-upstreams.ts'
import {
  type FaultyUpstreamOptions,
  makeFaultyUpstream,
} from '../fakes/upstream/faulty-upstream.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { canonical, emitter, type Read, readsOf, slotOf, truthOf } from './reads.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? 20_261_121)
let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

type Rig = {
  readonly cairn: CairnWithUpstreams
  readonly honest: StubUpstream
  readonly faultyUpstreams: readonly StubUpstream[]
}

/** Faulty upstreams are faster, much faster until the first false reply, so they are queried first, even on a busy machine. */
async function start(
  t: TestContext,
  options: readonly FaultyUpstreamOptions[],
  withHonest = true,
): Promise<Rig> {
  const honest = await startStubUpstream(t, chain)
  const faultyUpstreams = await Promise.all(options.map(() => startStubUpstream(t, chain)))
  const sentReplies = faultyUpstreams.map((faulty, at) => {
    const { only = () => true, ...rest } = options[at] as FaultyUpstreamOptions
    return makeFaultyUpstream(faulty, {
      ...rest,
      only: (call) => call.method !== 'eth_getBlockByNumber' && only(call),
    })
  })
  honest.knobs.latencyMs = () => (sentReplies.some(({ sent }) => sent.length > 0) ? 5 : 100)
  const upstreams = faultyUpstreams.map(({ url }, at) => ({ url, name: `faulty-${at}` }))
  const cairn = await startBehind(
    t,
    withHonest ? [...upstreams, { url: honest.url, name: 'honest' }] : upstreams,
    {
      chainId: Number(chain.chainId),
      verify: 'require',
      blobSchedule: [{ from: 420, baseFeeUpdateFraction: 11_684_671 }],
    },
  )
  return { cairn, honest, faultyUpstreams }
}

async function assertHonest({ cairn, honest }: Rig, read: Read): Promise<void> {
  const { method, params } = read
  const { result, level, units, text } = await cairn.ask(method, params)
  const about = `seed ${seed}: ${method} ${JSON.stringify(params)}: ${text.slice(0, 300)}`
  assert.notEqual(result, undefined, about)
  assert.equal(canonical(result), await truthOf(honest, read), about)
  if (result !== null) assert.equal(level, 'proof', about)
  assert.equal(units, String(priceOf(method)), about)
}

function priceOf(method: string): number {
  if (/Receipts|debug_/.test(method)) return 1000
  if (/Logs/.test(method)) return 255
  return /Index|Proof/.test(method) ? 150 : 80
}

test('each account pays only for its own requests, and the faulty upstream is reported', async (t) => {
  const rig = await start(t, [{ seed }])
  const { cairn, honest } = rig
  const other = (await cairn.cli('keys', 'create', '--units-per-day', '160')) as {
    apiKey: string
  }
  for (const at of [2, 11, 24, 33, 41, 54]) {
    for (const read of readsOf(chain.recorded[at] ?? assert.fail())) await assertHonest(rig, read)
  }
  const [method, params] = ['eth_getStorageAt', [emitter, slotOf(0n), 'latest']] as const
  const truth = await honest.honest(method, params)
  for (const status of [200, 200, 402]) {
    const answer = await cairn.ask(method, params, other.apiKey)
    assert.equal(answer.status, status, answer.text)
    if (status === 200) assert.equal(answer.result, truth)
  }
  const invalidReplies = await cairn.invalidReplies()
  assert.ok(invalidReplies.length > 0)
  assert.deepEqual(new Set(invalidReplies.map(({ upstream }) => upstream)), new Set(['faulty-0']))
  await cairn.stop()
  const { copies, bad } = await cairn.cli('store', 'verify')
  assert.ok(Number(copies) > 30)
  assert.equal(bad, 0)
})

const manners: Readonly<Record<string, Omit<FaultyUpstreamOptions, 'seed'>>> = {
  'falsifies one in four replies': { onceIn: 4 },
  'falsifies one slot only': { only: ({ params }) => JSON.stringify(params).includes(slotOf(0n)) },
  'is honest until block 30': {
    only: ({ params }) =>
      chain.recorded.slice(30).some(({ hash }) => JSON.stringify(params).includes(hash)),
  },
}

for (const [manner, options] of Object.entries(manners)) {
  test(`a faulty upstream that ${manner} is detected`, async (t) => {
    const rig = await start(t, [{ seed, ...options }])
    for (const at of [3, 8, 12, 17, 24, 31, 36, 42, 48, 54]) {
      for (const read of readsOf(chain.recorded[at] ?? assert.fail())) await assertHonest(rig, read)
    }
    const invalidReplies = await rig.cairn.invalidReplies()
    assert.ok(invalidReplies.length > 0)
    assert.deepEqual(new Set(invalidReplies.map(({ upstream }) => upstream)), new Set(['faulty-0']))
  })
}

test('with faulty upstreams only, no wrong answer is served or stored', async (t) => {
  const rig = await start(t, [{ seed }, { seed: seed + 1 }], false)
  const { cairn, honest } = rig
  let refused = 0
  for (const at of [2, 24, 41, 54]) {
    for (const read of readsOf(chain.recorded[at] ?? assert.fail())) {
      const { result, level, text } = await cairn.ask(read.method, read.params)
      const about = `seed ${seed}: ${read.method} ${JSON.stringify(read.params)}: ${text.slice(0, 300)}`
      if (result === undefined) refused += 1
      else if (result !== null || level === 'proof') {
        assert.equal(canonical(result), await truthOf(honest, read), about)
      }
    }
  }
  assert.ok(refused > 0)
  await cairn.stop()
  assert.equal((await cairn.cli('store', 'verify'))['bad'], 0)
})
