import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  errorAnswer,
  startRpcUpstream,
  type RpcAnswer,
  type RpcUpstream,
} from '../../../../test/fakes/upstream/json-rpc-upstream.ts'
import { createManualClock, type ManualClock } from '../../../../test/fakes/manual-clock.ts'
import { silentLog, type Log } from '../../../base/log.ts'
import { UpstreamError } from './upstream-error.ts'
import { servingPolicies } from '../../../rpc/relay/relayed-methods.ts'
import { createUpstream } from './create-upstream.ts'
import { defaultUpstreamLimits, type Upstream, type UpstreamOptions } from './upstream.ts'

const never = new AbortController().signal

type Started = AsyncDisposable & {
  readonly node: RpcUpstream
  readonly upstream: Upstream
  readonly clock: ManualClock
}

async function start(
  answer: RpcAnswer,
  options: Partial<UpstreamOptions> = {},
  log: Log = silentLog,
  chainId?: bigint,
): Promise<Started> {
  const node = await startRpcUpstream(answer)
  const clock = createManualClock()
  const upstream = createUpstream(
    { ...defaultUpstreamLimits, url: node.url, trusted: false, headers: {}, ...options },
    { methods: servingPolicies, clock, log, ...(chainId === undefined ? {} : { chainId }) },
  )
  return {
    node,
    upstream,
    clock,
    async [Symbol.asyncDispose]() {
      await upstream.close()
      await node[Symbol.asyncDispose]()
    },
  }
}

async function kindOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'answered'
  } catch (error) {
    if (error instanceof UpstreamError) return error.kind
    throw error
  }
}

const troubled: RpcAnswer = (_asked, response) => void response.writeHead(502).end()

test('an upstream without a name is named by host and port, never by its credentials', async () => {
  const one = createUpstream(
    {
      ...defaultUpstreamLimits,
      url: 'http://u:secret@h.example:1/v3/key',
      trusted: true,
      headers: {},
    },
    { methods: servingPolicies, clock: createManualClock(), log: silentLog },
  )
  assert.equal(one.name, 'h.example:1')
  assert.ok(one.trusted)
  await one.close()
})

test('after twenty failures a class rests, other classes do not, and one call tries after thirty seconds', async () => {
  await using started = await start(troubled)
  const { upstream, node, clock } = started
  for (let i = 0; i < 20; i++) await kindOf(upstream.call('eth_getProof', [], never))
  assert.equal(upstream.status().state, 'open')
  assert.ok(!upstream.mayCall('content'))
  assert.ok(upstream.mayCall('read'))
  assert.equal(await kindOf(upstream.call('eth_getProof', [], never)), 'not_asked')
  assert.equal(node.received.length, 20)
  clock.advance(30_000)
  node.answer = () => 'well'
  assert.equal(await upstream.call('eth_getProof', [], never), 'well')
  assert.equal(upstream.status().state, 'ok')
})

test('an error of a node is no failure of the upstream', async () => {
  await using started = await start(errorAnswer({ code: 3, message: 'execution reverted' }))
  const { upstream } = started
  for (let i = 0; i < 30; i++) await kindOf(upstream.call('eth_call', [], never))
  assert.equal(upstream.status().state, 'ok')
  assert.equal(upstream.status().successRate, 1)
})

test('calls that are too large for a node, or for its proxy, do not make it rest for other callers', async () => {
  const tooMuch: RpcAnswer[] = [
    (_asked, response) => void response.writeHead(413).end('<html>too large</html>'),
    (_asked, response) => void response.writeHead(400).end('<html>bad request</html>'),
    (_asked, response) => void response.writeHead(403).end('<html>forbidden</html>'),
    () => 'x'.repeat(5_000),
    (_asked, response) => void response.writeHead(200, { 'content-length': 5_000 }).write('{'),
  ]
  for (const answer of tooMuch) {
    await using started = await start(answer, { replyBytesMax: 4_096 })
    const { upstream } = started
    for (let i = 0; i < 25; i++) await kindOf(upstream.call('eth_call', [i], never))
    assert.ok(upstream.mayCall('read'))
    for (let i = 0; i < 25; i++) await kindOf(upstream.call('eth_getProof', [i], never))
    assert.ok(!upstream.mayCall('content'), 'what we ask ourselves speaks of the node')
  }
})

test('an unusual call of one caller does not mark an answered method as lacking', async () => {
  await using started = await start((call, response) =>
    call.params[0] === 'odd'
      ? errorAnswer({ code: -32004, message: 'not supported' })(call, response)
      : 'well',
  )
  const { upstream, clock } = started
  for (const method of ['eth_call', 'trace_call']) {
    assert.equal(await upstream.call(method, [], never), 'well')
    assert.equal(await kindOf(upstream.call(method, ['odd'], never)), 'unsupported')
    assert.equal(await upstream.call(method, [], never), 'well')
  }
  // Long after the last answer the method may have been removed.
  clock.advance(3_600_000)
  await kindOf(upstream.call('eth_call', ['odd'], never))
  assert.ok(upstream.lacks('eth_call'))
})

test('unlisted methods are not shown', async () => {
  await using started = await start(errorAnswer({ code: -32601, message: 'no such method' }))
  const { upstream } = started
  await kindOf(upstream.call('somebodys_secret', [], never))
  await kindOf(upstream.call('debug_getRawHeader', [], never))
  await kindOf(upstream.call('trace_block', [], never))
  await kindOf(upstream.call('txpool_content', [], never))
  assert.ok(upstream.lacks('somebodys_secret'))
  assert.deepEqual(upstream.status().lacks, ['debug_getRawHeader', 'trace_block', 'txpool_content'])
})

test('a caller that leaves is no failure of the upstream', async () => {
  await using started = await start(() => undefined)
  const { upstream } = started
  for (let i = 0; i < 25; i++) {
    const leaver = new AbortController()
    const call = upstream.call('eth_call', [], leaver.signal)
    leaver.abort(new Error('gone'))
    await assert.rejects(call, /gone/)
  }
  assert.equal(upstream.status().successRate, 1)
  assert.ok(!upstream.isFull)
})

test('a rate limit without a time lasts a second', async () => {
  await using started = await start((_asked, response) => {
    response.writeHead(429, { 'retry-after': '0' }).end()
  })
  await kindOf(started.upstream.call('eth_call', [], never))
  started.clock.advance(999)
  assert.ok(!started.upstream.mayCall('read'))
})

test('a hanging upstream costs as much as its pending calls, and aborted calls count as slow', async () => {
  await using started = await start(() => undefined)
  const { upstream, node, clock } = started
  const before = upstream.cost('content')
  const leaver = new AbortController()
  const call = upstream.call('eth_getProof', [], leaver.signal)
  while (node.received.length === 0) await new Promise(setImmediate)
  clock.advance(500)
  assert.equal(upstream.cost('content'), before * 10)
  leaver.abort(new Error('gone'))
  await assert.rejects(call, /gone/)
  assert.ok((upstream.p95Ms('content') ?? 0) >= 500)
})

test('after a rate limit the class rests for the time that the upstream names', async () => {
  await using started = await start((_asked, response) => {
    response.writeHead(429, { 'retry-after': '40' }).end()
  })
  const { upstream, clock } = started
  assert.equal(await kindOf(upstream.call('eth_call', [], never)), 'rate_limit')
  assert.ok(!upstream.mayCall('read'))
  clock.advance(39_999)
  assert.ok(!upstream.mayCall('read'))
  clock.advance(1)
  assert.ok(upstream.mayCall('read'))
})

test('an upstream that refuses the account is cordoned, and logs it once', async () => {
  const lines: unknown[] = []
  await using started = await start(
    errorAnswer({ code: -32000, message: 'monthly capacity limit reached for key topsecret' }),
    { headers: { authorization: 'Bearer topsecret' } },
    (level, event, facts) => lines.push([level, event, facts]),
  )
  const { upstream, clock } = started
  // A node may refuse a single method with the same text.
  await kindOf(upstream.call('engine_newMethod', [], never))
  await kindOf(upstream.call('eth_call', [], never))
  assert.notEqual(upstream.status().state, 'cordoned')
  assert.ok(upstream.mayCall('content') && upstream.mayCall('read'))
  await Promise.all([
    kindOf(upstream.call('eth_getBlockByHash', [], never)),
    kindOf(upstream.call('eth_getProof', [], never)),
  ])
  assert.equal(upstream.status().state, 'cordoned')
  assert.equal(await kindOf(upstream.call('eth_chainId', [], never)), 'not_asked')
  assert.equal(lines.length, 1)
  assert.ok(!JSON.stringify(lines).includes('topsecret'))
  clock.advance(3_600_000)
  assert.ok(upstream.mayCall('read'))
})

test('a call that is too large for a node does not make the node rest for others', async () => {
  await using failing = await start(errorAnswer({ code: -32603, message: 'execution timeout' }))
  for (let i = 0; i < 30; i++) await kindOf(failing.upstream.call('eth_call', [], never))
  assert.ok(failing.upstream.mayCall('read'))
  for (let i = 0; i < 30; i++) await kindOf(failing.upstream.call('eth_getProof', [], never))
  assert.ok(!failing.upstream.mayCall('content'))
})

test('a slow call counts as failed only if the node answers no other call meanwhile', async () => {
  const slow: RpcAnswer = ({ method }) => (method === 'eth_call' ? undefined : 'well')
  for (const answersOthers of [true, false]) {
    await using started = await start(slow)
    const { upstream, node, clock } = started
    const calls = Array.from({ length: 20 }, () => kindOf(upstream.call('eth_call', [], never)))
    while (node.received.length < 20) await new Promise(setImmediate)
    clock.advance(1)
    if (answersOthers) await upstream.call('eth_getProof', [], never)
    clock.advance(10_000)
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['trouble']))
    assert.equal(upstream.mayCall('read'), answersOthers)
  }
})

test('slow calls of callers leave connections for proved content', async () => {
  await using started = await start(({ method }) => (method === 'eth_call' ? undefined : 'well'), {
    concurrency: 4,
  })
  const { upstream } = started
  const leaver = new AbortController()
  const calls = Array.from({ length: 20 }, () =>
    upstream.call('eth_call', [], leaver.signal).catch(() => 'left'),
  )
  assert.equal(await upstream.call('eth_getProof', [], never), 'well')
  leaver.abort(new Error('gone'))
  await Promise.all(calls)
})

test('while one trial call runs on a rested upstream, queued calls do not let more in', async () => {
  await using started = await start(troubled, { concurrency: 1 })
  const { upstream, node, clock } = started
  for (let i = 0; i < 20; i++) await kindOf(upstream.call('eth_getProof', [], never))
  clock.advance(30_000)
  node.answer = () => undefined
  const leaver = new AbortController()
  const trying = upstream.call('eth_getProof', [], leaver.signal).catch(() => 'left')
  for (let i = 0; i < 5; i++) {
    assert.equal(await kindOf(upstream.call('eth_getProof', [], never)), 'not_asked')
    assert.ok(!upstream.mayCall('content'))
  }
  leaver.abort(new Error('gone'))
  await trying
})

test('a reply above the size limit of its method is not read', async () => {
  await using started = await start(() => 'x'.repeat(100_000))
  assert.equal(await kindOf(started.upstream.call('eth_getBalance', [], never)), 'trouble')
  assert.equal(await kindOf(started.upstream.call('eth_call', [], never)), 'answered')
  // One path per slot, and one of the account.
  await using proofs = await start(() => ['x'.repeat(4_000_000)])
  const { upstream } = proofs
  const slots = Array.from({ length: 16 }, (_, slot) => `0x${slot}`)
  assert.equal(await kindOf(upstream.call('eth_getProof', ['0x', ['0x0']], never)), 'trouble')
  assert.equal(await kindOf(upstream.call('eth_getProof', ['0x', slots], never)), 'answered')
})

test('an unknown method is not called again for an hour; an unusual param does not affect the method', async () => {
  await using started = await start(
    errorAnswer({ code: -32601, message: 'the method x does not exist' }),
  )
  const { upstream, node, clock } = started
  assert.equal(await kindOf(upstream.call('debug_getRawBlock', [], never)), 'unsupported')
  assert.equal(await kindOf(upstream.call('debug_getRawBlock', [], never)), 'unsupported')
  assert.equal(node.received.length, 1)
  assert.deepEqual(upstream.status().lacks, ['debug_getRawBlock'])
  clock.advance(3_600_000)
  assert.ok(!upstream.lacks('debug_getRawBlock'))
  node.answer = errorAnswer({ code: -32000, message: 'this override is not supported' })
  assert.equal(await kindOf(upstream.call('eth_call', [], never)), 'unsupported')
  assert.ok(!upstream.lacks('eth_call'))
})

test('a method that is not implemented is not called again either', async () => {
  await using started = await start(
    errorAnswer({ code: -32004, message: 'Method is not supported' }),
  )
  const { upstream, node } = started
  for (let i = 0; i < 3; i++) {
    assert.equal(await kindOf(upstream.call('eth_getBlockReceipts', [], never)), 'unsupported')
  }
  assert.equal(node.received.length, 1)
})

test('the number of remembered unknown methods is limited', async () => {
  await using started = await start(errorAnswer({ code: -32601, message: 'no' }))
  const { upstream } = started
  for (let i = 0; i < 300; i++) await kindOf(upstream.call(`x_${i}`, [], never))
  const known = Array.from({ length: 300 }, (_, i) => upstream.lacks(`x_${i}`))
  assert.equal(known.filter(Boolean).length, 256)
  assert.ok(upstream.lacks('x_299') && !upstream.lacks('x_0'))
})

test('calls beyond the connections wait, and beyond the queue they are refused', async () => {
  const pendingReplies: (() => void)[] = []
  await using started = await start(
    () => new Promise((resolve) => pendingReplies.push(() => resolve('ok'))),
    { concurrency: 1 },
  )
  const { upstream } = started
  const calls = Array.from({ length: 10 }, () => kindOf(upstream.call('eth_call', [], never)))
  assert.equal(await calls[9], 'not_asked')
  assert.ok(upstream.isFull)
  for (let done = 0; done < 9; done++) {
    while (pendingReplies.length === 0) await new Promise(setImmediate)
    pendingReplies.shift()?.()
    assert.equal(await calls[done], 'answered')
  }
  assert.ok(!upstream.isFull)
})

test('an invalid reply with quarantine ends its use; without, it is only counted', async () => {
  await using started = await start(() => 1)
  const { upstream, clock } = started
  upstream.reportInvalidReply(false)
  assert.ok(upstream.mayCall('content'))
  upstream.reportInvalidReply(true)
  assert.ok(!upstream.mayCall('content'))
  assert.equal(await kindOf(upstream.call('eth_call', [], never)), 'not_asked')
  assert.equal(await upstream.call('eth_chainId', [], never, { isProbe: true }), 1)
  assert.deepEqual([upstream.status().state, upstream.status().lies], ['quarantined', 2])
  assert.equal(upstream.status().leftMs, 60_000)
  assert.ok(!upstream.usable)
  clock.advance(60_000)
  assert.equal(upstream.status().leftMs, 0)
  assert.ok(upstream.mayCall('content') && upstream.isProving)
  const dear = upstream.cost('content')
  for (let i = 0; i < 20; i++) upstream.prove()
  assert.ok(!upstream.isProving)
  assert.ok(upstream.cost('content') < dear, 'what it has made good is forgotten')
  assert.equal(upstream.status().state, 'ok')
})

test('the chain ID is requested first, once, and an upstream of another chain is not used', async () => {
  const events: string[] = []
  const chainOf = (id: string) => (call: { readonly method: string }) =>
    call.method === 'eth_chainId' ? id : 'well'
  await using started = await start(chainOf('0x1'), {}, (_level, event) => events.push(event), 1n)
  const { upstream, node } = started
  const calls = Array.from({ length: 3 }, () => upstream.call('eth_getProof', [], never))
  assert.deepEqual(await Promise.all(calls), ['well', 'well', 'well'])
  assert.deepEqual(
    node.received.map(({ method }) => method),
    ['eth_chainId', 'eth_getProof', 'eth_getProof', 'eth_getProof'],
  )
  await using other = await start(chainOf('0x2'), {}, (_level, event) => events.push(event), 1n)
  assert.equal(await kindOf(other.upstream.call('eth_getProof', [], never)), 'not_asked')
  assert.ok(!other.upstream.mayCall('content') && !other.upstream.usable)
  assert.equal(other.upstream.status().state, 'wrong-chain')
  assert.equal(await kindOf(other.upstream.call('eth_getProof', [], never)), 'not_asked')
  assert.equal(other.node.received.length, 1)
  assert.deepEqual(events, ['upstream_of_another_chain'])
  other.upstream.setChainId(1n)
  assert.ok(other.upstream.usable)
})

test('an upstream that changes to another chain is detected on request, and used again when it is back', async () => {
  let id = '0x1'
  const answer: RpcAnswer = ({ method }) => (method === 'eth_chainId' ? id : 'well')
  await using started = await start(answer, {}, silentLog, 1n)
  const { upstream, node, clock } = started
  const chainIdCalls = () => node.received.filter(({ method }) => method === 'eth_chainId').length
  assert.equal(await kindOf(upstream.call('eth_getProof', [], never)), 'answered')
  id = '0x2'
  assert.equal(await kindOf(upstream.confirmChain(never)), 'not_asked')
  assert.ok(!upstream.mayCall('content') && !upstream.usable)
  id = '0x1'
  assert.equal(await kindOf(upstream.call('eth_getProof', [], never)), 'not_asked')
  assert.equal(chainIdCalls(), 2)
  clock.advance(60_000)
  assert.equal(await kindOf(upstream.call('eth_getProof', [], never)), 'answered')
  assert.equal(chainIdCalls(), 3)
  await upstream.confirmChain(never)
  assert.ok(upstream.usable)
})

test('an upstream with an unknown chain ID is not used, and rests after failures', async () => {
  await using started = await start(() => 'what', {}, silentLog, 1n)
  assert.equal(await kindOf(started.upstream.call('eth_getProof', [], never)), 'not_asked')
  await using elsewhere = await start(
    (_asked, response) => void response.writeHead(404).end('Not Found'),
    {},
    silentLog,
    1n,
  )
  assert.equal(await kindOf(elsewhere.upstream.call('eth_getProof', [], never)), 'not_asked')
  await using failing = await start(troubled, {}, silentLog, 1n)
  for (let i = 0; i < 20; i++) await kindOf(failing.upstream.call('eth_getProof', [], never))
  assert.ok(!failing.upstream.mayCall('content'))
  assert.ok(failing.node.received.every(({ method }) => method === 'eth_chainId'))
})

test('slower, failing, lagging and faulty upstreams cost more', async () => {
  await using one = await start(troubled)
  const { upstream, clock } = one
  const before = upstream.cost('content')
  upstream.setLag(3, 10n)
  assert.equal(upstream.cost('content'), before * 4)
  upstream.reportInvalidReply(false)
  assert.equal(upstream.cost('content'), before * 8)
  await kindOf(upstream.call('eth_getProof', [], never))
  assert.ok(upstream.cost('content') > before * 8)
  assert.equal(upstream.cost('read'), before * 8)
  clock.advance(60_000)
  await using two = await start(() => {
    two.clock.advance(400)
    return 1
  })
  await two.upstream.call('eth_getProof', [], never)
  assert.ok(two.upstream.cost('content') >= 400)
  assert.ok((two.upstream.status().p95Ms ?? 0) >= 400)
})

test('a live refusal updates the history depth', async () => {
  await using started = await start(() => 1)
  const { upstream } = started
  upstream.setLag(0, 100n)
  upstream.setHistoryDepths({ proof: 'all' })
  assert.equal(upstream.can('proof', 50n), 'yes')
  upstream.cannot('proof', 50n)
  assert.equal(upstream.can('proof', 50n), 'no')
  assert.equal(upstream.can('proof', 51n), 'yes')
})
