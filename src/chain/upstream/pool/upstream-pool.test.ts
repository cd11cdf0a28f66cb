import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  errorAnswer,
  startRpcUpstream,
  type RpcAnswer,
  type RpcUpstream,
} from '../../../../test/fakes/upstream/json-rpc-upstream.ts'
import { createManualClock, type ManualClock } from '../../../../test/fakes/manual-clock.ts'
import { Fault } from '../../../base/fault.ts'
import type { Log } from '../../../base/log.ts'
import type { ReadTrace } from '../../../content/ref.ts'
import type { Canary } from './canaries.ts'
import { servingPolicies } from '../../../rpc/relay/relayed-methods.ts'
import { createUpstream } from '../node/create-upstream.ts'
import type { AttemptOutcome, InvalidReplyEvidence, UpstreamAttempt } from './race-attempts.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import { type UpstreamPool, createUpstreamPool } from './upstream-pool.ts'
import { defaultUpstreamLimits, type UpstreamOptions } from '../node/upstream.ts'

const never = new AbortController().signal
const proof = { need: 'proof', number: 100n } as const

type Node = Partial<UpstreamOptions> & { readonly answer: RpcAnswer }
type Lies = { readonly upstream: string; readonly evidence: InvalidReplyEvidence }[]

type Started = AsyncDisposable & {
  readonly pool: UpstreamPool
  readonly nodes: readonly RpcUpstream[]
  readonly clock: ManualClock
  readonly lies: Lies
  readonly events: string[]
}

/** Upstreams named a, b, c... */
async function start(wanted: readonly Node[], canary: Canary | null = null): Promise<Started> {
  const clock = createManualClock()
  const lies: Lies = []
  const events: string[] = []
  const log: Log = (_level, event) => events.push(event)
  const nodes = await Promise.all(wanted.map(({ answer }) => startRpcUpstream(answer)))
  const upstreams = nodes.map(({ url }, index) => {
    const { answer: _, ...options } = wanted[index] ?? assert.fail()
    return createUpstream(
      {
        ...defaultUpstreamLimits,
        name: String.fromCharCode(97 + index),
        url,
        trusted: false,
        headers: {},
        ...options,
      },
      { methods: servingPolicies, clock, log },
    )
  })
  const pool = createUpstreamPool({
    network: 'test',
    upstreams,
    ledger: {
      add: (upstream, evidence) => void lies.push({ upstream, evidence }),
      idle: async () => {},
    },
    canary,
    clock,
    log,
  })
  return {
    pool,
    nodes,
    clock,
    lies,
    events,
    async [Symbol.asyncDispose]() {
      await pool.close()
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
    },
  }
}

const well: Node = { answer: () => 'well' }
const broken: Node = { answer: (_asked, response) => void response.writeHead(502).end() }
const silent: Node = { answer: () => undefined }

function erring(message: string, code = -32000): Node {
  return { answer: errorAnswer({ code, message }) }
}

const evidence: InvalidReplyEvidence = {
  method: 'eth_getProof',
  params: [],
  response: {},
  expected: '0x01',
  computed: '0x02',
  blockHash: null,
}

/** Accepts `well`, and treats every other answer as an invalid reply. */
const attempt: UpstreamAttempt = async (upstream, signal) => {
  const answer = await upstream.call('eth_getProof', [], signal)
  return answer === 'well' ? 'taken' : { invalidReply: evidence }
}

function countOf(started: Started): readonly number[] {
  return started.nodes.map(({ received }) => received.length)
}

async function errorOf(work: Promise<unknown>): Promise<UpstreamError> {
  const thrown: unknown = await work.then(
    (answer) => assert.fail(`answered ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  if (thrown instanceof UpstreamError) return thrown
  throw thrown
}

test('content comes from one upstream, the same one each time', async () => {
  await using started = await start([well, well, well])
  for (let i = 0; i < 5; i++) {
    assert.equal(await started.pool.content(proof, attempt, never), 'taken')
  }
  assert.deepEqual(
    countOf(started).toSorted((a, b) => a - b),
    [0, 0, 5],
  )
})

test('content comes from another upstream after trouble, limits, missing state, absence and invalid replies', async () => {
  for (const first of [
    broken,
    erring('rate limit'),
    erring('missing trie node'),
    erring('header not found'),
    erring('what'),
    { answer: () => 'ill' },
  ]) {
    await using started = await start([first, well])
    assert.equal(await started.pool.content(proof, attempt, never), 'taken')
    assert.deepEqual(countOf(started), [1, 1])
  }
})

test('an absence is accepted from two upstreams or a trusted one, and only after all untrusted were queried', async () => {
  const absent = erring('header not found')
  const verdictOf = async (nodes: readonly Node[]): Promise<AttemptOutcome> => {
    await using started = await start(nodes)
    return await started.pool.content({ need: 'header', number: null }, attempt, never)
  }
  assert.equal(await verdictOf([absent, absent, well]), 'taken')
  assert.equal(await verdictOf([absent, absent]), 'absent')
  assert.equal(await verdictOf([absent, broken]), 'failed')
  assert.equal(await verdictOf([{ ...absent, trusted: true }, broken]), 'absent')
  await using trusting = await start([{ ...absent, trusted: true }, well])
  assert.equal(
    await trusting.pool.content({ need: 'header', number: null }, attempt, never),
    'absent',
  )
})

test('an upstream with an incomplete or empty reply is not queried first again', async () => {
  const absent = errorAnswer({ code: -32000, message: 'header not found' })
  for (const answer of [absent, () => 'little'] as const) {
    await using started = await start([{ answer }, well])
    const shortReply: UpstreamAttempt = async (upstream, signal) =>
      (await upstream.call('eth_getProof', [], signal)) === 'well' ? 'taken' : 'failed'
    for (let i = 0; i < 4; i++) await started.pool.content(proof, shortReply, never)
    assert.deepEqual(countOf(started), [1, 4])
  }
})

test('a faulty upstream is quarantined when another upstream proves the answer, and its reply is recorded', async () => {
  await using started = await start([{ answer: () => 'ill' }, well])
  await started.pool.content(proof, attempt, never)
  assert.deepEqual(started.lies, [{ upstream: 'a', evidence }])
  assert.deepEqual(
    started.pool.status().upstreams.map(({ state, lies }) => [state, lies]),
    [
      ['quarantined', 1],
      ['ok', 0],
    ],
  )
  await started.pool.content(proof, attempt, never)
  assert.deepEqual(countOf(started), [1, 2])
})

test('when every upstream fails a check none is quarantined, and an alarm names the policy', async () => {
  await using started = await start([{ answer: () => 'ill' }, { answer: () => 'ill' }])
  const verdict = await started.pool.content(proof, attempt, never)
  assert.deepEqual(verdict, { invalidReply: evidence })
  assert.equal(started.lies.length, 2)
  const { upstreams, alarms } = started.pool.status()
  assert.deepEqual(
    upstreams.map(({ state }) => state),
    ['ok', 'ok'],
  )
  assert.deepEqual(
    alarms.map(({ need }) => need),
    ['proof'],
  )
  assert.deepEqual(started.events, ['network_not_provable'])
  for (const node of started.nodes) node.answer = () => 'well'
  assert.equal(await started.pool.content(proof, attempt, never), 'taken')
  assert.deepEqual(started.pool.status().alarms, [])
})

test('an invalid reply while another upstream rests raises no alarm', async () => {
  await using started = await start([{ answer: () => 'ill' }, well])
  for (let i = 0; i < 20; i++) started.pool.upstreams[1]?.disappoint('content')
  assert.ok(!started.pool.upstreams[1]?.mayCall('content'))
  await started.pool.content(proof, attempt, never)
  assert.deepEqual(started.pool.status().alarms, [])
})

test('an invalid reply while the other upstream is down is recorded, and counted when the other is back', async () => {
  await using started = await start([{ answer: () => 'ill' }, broken])
  await started.pool.content(proof, attempt, never)
  assert.deepEqual(started.pool.status().upstreams[0]?.state, 'ok')
  assert.deepEqual(started.pool.status().alarms, [])
  const back = started.nodes[1] ?? assert.fail()
  back.answer = () => 'well'
  await started.pool.content(proof, attempt, never)
  assert.equal(started.lies.length, 2)
  assert.equal(started.pool.status().upstreams[0]?.state, 'quarantined')
})

test('twenty canary proofs release an upstream from quarantine', async () => {
  const canary: Canary = async (upstream, signal) => {
    const answer = await upstream.call('eth_getProof', ['canary'], signal)
    return answer === 'well' ? 'taken' : { invalidReply: evidence }
  }
  await using started = await start([{ answer: () => 'ill' }, well], canary)
  await started.pool.content(proof, attempt, never)
  const [faulty] = started.nodes
  assert.ok(faulty)
  faulty.answer = () => 'well'
  started.clock.advance(60_000)
  for (let i = 0; i < 20; i++) {
    assert.equal(started.pool.status().upstreams[0]?.state, 'quarantined', `${i}`)
    const before = faulty.received.length
    started.clock.advance(3_000)
    while (faulty.received.length === before) await new Promise(setImmediate)
    // Waits for the verdict.
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  }
  assert.equal(started.pool.status().upstreams[0]?.state, 'ok')
})

test('an upstream that answers a canary wrongly is quarantined immediately', async () => {
  const canary: Canary = async () => ({ invalidReply: evidence })
  await using started = await start([well, well], canary)
  for (let i = 0; i < 100; i++) await started.pool.content(proof, attempt, never)
  await new Promise(setImmediate)
  const states = started.pool.status().upstreams.map(({ state }) => state)
  assert.deepEqual(states.toSorted(), ['ok', 'quarantined'])
})

test('a malformed reply to a canary is logged, without other effects', async () => {
  const canary: Canary = async () => {
    throw new TypeError('nonsense')
  }
  await using started = await start([well, well], canary)
  for (let i = 0; i < 100; i++) await started.pool.content(proof, attempt, never)
  await new Promise(setImmediate)
  assert.deepEqual(started.events, ['canary_failed'])
})

test('if an upstream takes longer than usual, one more is queried in parallel', async () => {
  await using started = await start([silent, well])
  const verdict = started.pool.content(proof, attempt, never)
  while (started.nodes[0]?.received.length === 0) await new Promise(setImmediate)
  started.clock.advance(49)
  assert.deepEqual(countOf(started), [1, 0])
  started.clock.advance(1)
  assert.equal(await verdict, 'taken')
  assert.deepEqual(countOf(started), [1, 1])
  assert.equal(started.clock.timers, 0)
})

test('a hanging upstream is replaced by the next, with any hedge budget, and is not first again', async () => {
  await using started = await start([silent, well, well])
  const [hanging] = started.nodes
  assert.ok(hanging)
  // Two requests are sent while the upstream hangs: the budget has one hedge.
  const verdicts = [0, 1].map(() => started.pool.content(proof, attempt, never))
  while (hanging.received.length < 2) await new Promise(setImmediate)
  started.clock.advance(50)
  assert.equal(await verdicts[0], 'taken')
  assert.equal(await started.pool.content(proof, attempt, never), 'taken')
  assert.equal(hanging.received.length, 2, 'what waits there sends others elsewhere')
  started.clock.advance(1_950)
  assert.equal(await verdicts[1], 'taken')
  assert.ok((started.pool.status().upstreams[0]?.successRate ?? 1) < 1)
})

test('closing ends a broadcast with the reason', async () => {
  await using started = await start([silent])
  const refused = assert.rejects(
    started.pool.broadcast({ raw: '0x02', hash: '0x' }, never),
    (error) => error instanceof Fault && error.code === 'shutting_down',
  )
  while (started.nodes[0]?.received.length === 0) await new Promise(setImmediate)
  await started.pool.close()
  await refused
})

test('hedges are at most 10 % of all calls', async () => {
  await using started = await start([silent, silent, silent])
  let attempts = 0
  const hanging: UpstreamAttempt = async (_upstream, signal) => {
    attempts++
    return await new Promise<AttemptOutcome>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    )
  }
  for (let i = 0; i < 30; i++) {
    const leaver = new AbortController()
    const verdict = started.pool.content(proof, hanging, leaver.signal)
    await new Promise(setImmediate)
    started.clock.advance(50)
    leaver.abort(new Error('gone'))
    await assert.rejects(verdict, /gone/)
  }
  // The budget starts with one hedge.
  assert.equal(attempts, 30 + 3 + 1)
})

test('a caller that leaves ends its attempts, and a bug in an attempt is not an outcome', async () => {
  await using started = await start([silent, well])
  const leaver = new AbortController()
  const seen: AbortSignal[] = []
  const verdict = started.pool.content(
    proof,
    async (upstream, signal) => {
      seen.push(signal)
      return await attempt(upstream, signal)
    },
    leaver.signal,
  )
  leaver.abort(new Error('gone'))
  await assert.rejects(verdict, /gone/)
  assert.ok(seen.every(({ aborted }) => aborted))
  const buggy = async (): Promise<AttemptOutcome> => {
    throw new TypeError('a bug')
  }
  await assert.rejects(started.pool.content(proof, buggy, never), TypeError)
})

test('an upstream without history is queried last, only if no other is left, and its refusal is remembered', async () => {
  await using started = await start([erring('missing trie node 00'), well])
  for (const upstream of started.pool.upstreams) {
    upstream.setLag(0, 1000n)
    upstream.setHistoryDepths({ proof: 'all' })
  }
  await started.pool.content(proof, attempt, never)
  await started.pool.content(proof, attempt, never)
  assert.deepEqual(countOf(started), [1, 2])
  assert.ok(started.pool.canSome('proof', 100n))
  started.pool.upstreams[1]?.setHistoryDepths({ proof: { age: 10n } })
  assert.ok(!started.pool.canSome('proof', 100n))
  for (const node of started.nodes) node.answer = () => 'well'
  assert.equal(await started.pool.content(proof, attempt, never), 'taken')
})

test('without an upstream to query the error is no_upstream', async () => {
  await using started = await start([well])
  await started.pool.upstreams[0]?.close()
  const isNoUpstream = (error: unknown): boolean =>
    error instanceof Fault && error.code === 'no_upstream' && /for test/.test(error.message)
  await assert.rejects(started.pool.content(proof, attempt, never), isNoUpstream)
  const read = { method: 'eth_call', params: [], methodClass: 'read' } as const
  await assert.rejects(started.pool.read(read, never), isNoUpstream)
  await assert.rejects(started.pool.broadcast({ raw: '0x', hash: '0x' }, never), isNoUpstream)
  assert.equal(await started.pool.agree({ method: 'eth_chainId', params: [], k: 1 }, never), null)
})

test('when all rest after failures each gets one trial call per second', async () => {
  await using started = await start([broken, broken])
  const { pool } = started
  const call = async (): Promise<unknown> =>
    await pool.content(proof, attempt, never).catch((error: unknown) => Fault.from(error).code)
  for (const upstream of pool.upstreams) {
    for (let i = 0; i < 20; i++) upstream.disappoint('content')
  }
  assert.equal(await call(), 'failed', 'woken at once')
  const waiting = call()
  assert.deepEqual(countOf(started), [1, 1])
  for (const node of started.nodes) node.answer = () => 'well'
  for (let ms = 0; ms < 1_000; ms += 50) {
    assert.deepEqual(countOf(started), [1, 1])
    started.clock.advance(50)
    await new Promise(setImmediate)
  }
  assert.equal(await waiting, 'taken')
  assert.equal(await call(), 'taken')
})

test('content is requested again soon if only transport errors occurred', async () => {
  let calls = 0
  await using started = await start([
    { answer: (_asked, response) => (++calls < 3 ? void response.writeHead(502).end() : 'well') },
  ])
  assert.equal(await started.pool.content(proof, attempt, never), 'taken')
  assert.equal(calls, 3)
  for (const node of started.nodes) node.answer = broken.answer
  assert.equal(await started.pool.content(proof, attempt, never), 'failed')
  assert.deepEqual(countOf(started), [6], 'three rounds at most')
  for (const node of started.nodes) {
    node.answer = (_asked, response) => {
      started.clock.advance(2_000)
      response.writeHead(502).end()
    }
  }
  assert.equal(await started.pool.content(proof, attempt, never), 'failed')
  assert.deepEqual(countOf(started), [7], 'slow failures are not repeated')
})

test('callers wait briefly for upstreams that rest, and no longer', async () => {
  await using started = await start([
    { answer: (_asked, response) => void response.writeHead(429, { 'retry-after': '60' }).end() },
  ])
  const call = (signal = never): Promise<unknown> =>
    started.pool.content(proof, attempt, signal).catch((error: unknown) => Fault.from(error).code)
  assert.equal(await call(), 'failed')
  const many = Array.from({ length: 256 }, () => call())
  assert.equal(await call(), 'no_upstream', 'the line is full')
  for (let ms = 0; ms <= 1_500; ms += 50) {
    started.clock.advance(50)
    await new Promise(setImmediate)
  }
  assert.deepEqual(new Set(await Promise.all(many)), new Set(['no_upstream']))
  const leaver = new AbortController()
  const left = assert.rejects(started.pool.content(proof, attempt, leaver.signal), /gone/)
  leaver.abort(new Error('gone'))
  await left
  assert.equal(started.nodes[0]?.received.length, 1)
})

test('a known read goes to another upstream on trouble; a revert is the answer', async () => {
  const read = { method: 'eth_call', params: [{}], methodClass: 'read' } as const
  await using one = await start([broken, { ...well, trusted: true }])
  assert.deepEqual(await one.pool.read(read, never), {
    result: 'well',
    upstream: 'b',
    trusted: true,
  })
  await using two = await start([erring('execution reverted', 3), well])
  assert.equal((await errorOf(two.pool.read(read, never))).kind, 'execution')
  assert.deepEqual(countOf(two), [1, 0])
})

test('a read trace reports each upstream that was queried', async () => {
  const steps: string[] = []
  const watch: ReadTrace = (step, name) => (outcome) =>
    void steps.push(`${step} ${name} ${outcome}`)
  await using started = await start([broken, well])
  await started.pool.read({ method: 'eth_call', params: [{}], methodClass: 'read', watch }, never)
  assert.deepEqual(steps, ['source a trouble', 'source b answered'])
  await using agreeing = await start([well, broken, well])
  steps.length = 0
  await agreeing.pool.agree({ method: 'eth_x', params: [], k: 2, watch }, never)
  assert.deepEqual(steps.filter((one) => one.endsWith('answered')).length, 2)
})

test('an answer nested too deeply to serialize is no answer', async () => {
  const nested = (levels: number): Node => ({
    answer({ id }, response) {
      const result = '['.repeat(levels) + ']'.repeat(levels)
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
    },
  })
  const read = { method: 'eth_call', params: [], methodClass: 'read' } as const
  for (const levels of [3_001, 100_000]) {
    await using one = await start([nested(levels), well])
    assert.equal((await one.pool.read(read, never)).result, 'well')
    await using alone = await start([nested(levels)])
    assert.equal((await errorOf(alone.pool.read(read, never))).kind, 'trouble')
  }
  await using deep = await start([nested(2_060)])
  assert.equal(JSON.stringify((await deep.pool.read(read, never)).result).length, 4_120)
})

test('equal known reads share one call; calls that may write never do', async () => {
  await using started = await start([{ answer: () => new Promise((r) => setImmediate(r, 1)) }])
  const call = (method: string, methodClass: 'read' | 'unlisted', params: readonly unknown[]) =>
    started.pool.read({ method, params, methodClass }, never)
  await Promise.all([call('eth_call', 'read', ['1']), call('eth_call', 'read', ['1'])])
  assert.deepEqual(countOf(started), [1])
  await Promise.all([call('eth_call', 'read', ['1']), call('eth_call', 'read', [1])])
  assert.deepEqual(countOf(started), [3])
  await Promise.all([call('new_method', 'unlisted', []), call('new_method', 'unlisted', [])])
  assert.deepEqual(countOf(started), [5])
})

test('an unlisted method is sent once, unless nothing was sent or it is not offered there', async () => {
  const request = { method: 'new_method', params: [], methodClass: 'unlisted' } as const
  await using failing = await start([broken, well])
  assert.equal((await errorOf(failing.pool.read(request, never))).kind, 'trouble')
  assert.deepEqual(countOf(failing), [1, 0])
  await using lacking = await start([erring('the method new_method does not exist', -32601), well])
  assert.equal((await lacking.pool.read(request, never)).result, 'well')
  await using down = await start([{ ...well, url: 'http://127.0.0.1:1' }, well])
  assert.equal((await down.pool.read(request, never)).result, 'well')
})

test('when all fail the most informative error is the answer', async () => {
  const read = { method: 'eth_call', params: [], methodClass: 'read' } as const
  const lacking = erring('the method does not exist', -32601)
  await using some = await start([lacking, erring('missing trie node'), broken])
  assert.equal((await errorOf(some.pool.read(read, never))).kind, 'missing_state')
  await using none = await start([lacking, lacking])
  assert.equal((await errorOf(none.pool.read(read, never))).kind, 'unsupported')
})

const hash = `0x${'ab'.repeat(32)}`
const transaction = { raw: '0x02', hash }

test('a transaction goes to three upstreams, and one that has it is enough', async () => {
  await using started = await start([
    broken,
    { answer: () => hash.toUpperCase().replace('0X', '0x') },
    broken,
    well,
  ])
  await started.pool.broadcast(transaction, never)
  while (countOf(started).slice(0, 3).includes(0)) await new Promise(setImmediate)
  assert.deepEqual(countOf(started), [1, 1, 1, 0])
})

test('a transaction that is already known was sent', async () => {
  await using started = await start([erring('already known')])
  await started.pool.broadcast(transaction, never)
})

test('a used nonce is success only when this transaction used it', async () => {
  for (const known of [true, false]) {
    await using started = await start([
      {
        answer: (received, response) =>
          received.method === 'eth_getTransactionByHash'
            ? known
              ? { hash }
              : null
            : errorAnswer({ code: -32000, message: 'nonce too low' })(received, response),
      },
    ])
    const sent = started.pool.broadcast(transaction, never)
    if (known) await sent
    else assert.equal((await errorOf(sent)).kind, 'nonce_too_low')
  }
})

test('a node’s answer about a transaction comes before a transport error', async () => {
  await using started = await start([broken, erring('insufficient funds for gas * price + value')])
  const error = await errorOf(started.pool.broadcast(transaction, never))
  assert.match(error.message, /insufficient funds/)
  await using odd = await start([well])
  assert.equal((await errorOf(odd.pool.broadcast(transaction, never))).kind, 'trouble')
})

test('a sender that leaves does not end the broadcast', async () => {
  const blocked = Promise.withResolvers<string>()
  const received = Promise.withResolvers<void>()
  await using started = await start([
    {
      answer: () => {
        received.resolve()
        return blocked.promise
      },
    },
  ])
  const leaver = new AbortController()
  const sent = started.pool.broadcast(transaction, leaver.signal)
  await received.promise
  leaver.abort(new Error('gone'))
  await assert.rejects(sent, /gone/)
  assert.equal(started.clock.timers, 1, 'it is still under way')
  blocked.resolve(hash)
})

test('an answer counts when enough upstreams give the same value, in any spelling', async () => {
  const one: Node = { answer: () => ({ hash: '0xAB', list: [1], number: '0x1' }) }
  const same: Node = { answer: () => ({ number: '0x1', hash: '0xab', list: [1] }) }
  const other: Node = { answer: () => ({ number: '0x2', hash: '0xab', list: [1] }) }
  await using started = await start([one, other, same])
  const agreed = await started.pool.agree(
    { method: 'eth_getBlockByNumber', params: ['0x1', false], k: 2 },
    never,
  )
  assert.equal(agreed?.agreed, 2)
  assert.equal(agreed?.queried, 3)
  assert.equal(
    await started.pool.agree(
      { method: 'eth_getBlockByNumber', params: ['0x1', false], k: 3 },
      never,
    ),
    null,
  )
  assert.equal(
    await started.pool.agree(
      { method: 'eth_getBlockByNumber', params: ['0x1', false], k: 4 },
      never,
    ),
    null,
  )
  await using failing = await start([broken, same, broken])
  assert.equal(
    await failing.pool.agree(
      { method: 'eth_getBlockByNumber', params: ['0x1', false], k: 2 },
      never,
    ),
    null,
  )
  const deep: Node = {
    answer: ({ id }, response) => {
      const result = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
    },
  }
  await using burying = await start([deep, same, one])
  assert.equal((await burying.pool.agree({ method: 'eth_x', params: [], k: 2 }, never))?.agreed, 2)
  await using nulls = await start([{ answer: () => null }, { answer: () => null }, silent])
  assert.deepEqual(await nulls.pool.agree({ method: 'eth_x', params: [], k: 2 }, never), {
    result: null,
    agreed: 2,
    queried: 3,
  })
})
