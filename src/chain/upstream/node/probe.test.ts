import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  startRpcUpstream,
  type RpcAnswer,
  type ReceivedCall,
  type RpcUpstream,
} from '../../../../test/fakes/upstream/json-rpc-upstream.ts'
import { openStubChain, type StubChain } from '../../../../test/fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../../../../test/fakes/upstream/stub-upstream.ts'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { systemClock } from '../../../base/clock.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { silentLog } from '../../../base/log.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { servingPolicies } from '../../../rpc/relay/relayed-methods.ts'
import { createUpstream } from './create-upstream.ts'
import { probeUpstream, type ProbeReport } from './probe.ts'
import { createProber } from './prober.ts'
import { defaultUpstreamLimits, type Upstream } from './upstream.ts'

const never = new AbortController().signal
const chainId = 1n

function upstreamOf(url: string, clock = createManualClock(), name = 'a'): Upstream {
  return createUpstream(
    { ...defaultUpstreamLimits, name, url, trusted: false, headers: {} },
    { chainId, methods: servingPolicies, clock, log: silentLog },
  )
}

/** A node of a chain whose blocks each have one account and one transaction. Numbers: the oldest block with that data. */
type Node = {
  head: bigint
  state: bigint
  proof: bigint
  body: bigint
  receipts: bigint
  lacks: readonly string[]
  pins: boolean
  id: bigint
}

const archive: Node = {
  head: 5_000_000n,
  state: 0n,
  proof: 0n,
  body: 0n,
  receipts: 0n,
  lacks: [],
  pins: true,
  id: chainId,
}

function trieNodeOf(number: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(number.toString(16).padStart(80, '0'), 'hex'))
}

function blockOf(number: bigint): object {
  return {
    number: toQuantity(number),
    hash: `0x${number.toString(16).padStart(64, '0')}`,
    stateRoot: toHex(keccak256(trieNodeOf(number))),
    transactionsRoot: `0x${'11'.repeat(32)}`,
    transactions: ['0x01'],
    timestamp: '0x64',
  }
}

function answerOf(node: Node): RpcAnswer {
  return ({ id, method, params }: ReceivedCall, response) => {
    const refuse = (code: number, message: string): void => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
    }
    if (node.lacks.includes(method)) return refuse(-32601, `the method ${method} does not exist`)
    const blockParam = params[method === 'eth_getProof' ? 2 : method === 'eth_getBalance' ? 1 : 0]
    const isHash = typeof blockParam === 'object' && blockParam !== null
    if (isHash && !node.pins) return refuse(-32602, 'invalid argument 2: hex string expected')
    const hash = isHash ? (blockParam as { blockHash: string }).blockHash : null
    const text = hash ?? (typeof blockParam === 'string' ? blockParam : 'latest')
    const number = text.startsWith('0x') ? BigInt(text) : node.head
    switch (method) {
      case 'eth_chainId':
        return toQuantity(node.id)
      case 'web3_clientVersion':
        return 'Some/v1'
      case 'eth_getBlockByNumber':
        return params[1] === true && number < node.body ? null : blockOf(number)
      case 'eth_getBalance':
        return number < node.state ? refuse(-32000, 'missing trie node 00') : '0x0'
      case 'eth_getProof':
        return number < node.proof
          ? refuse(-32602, 'distance to target block exceeds maximum proof window')
          : { accountProof: [toHex(trieNodeOf(number))], storageProof: [] }
      case 'eth_getBlockReceipts':
      case 'debug_getRawReceipts':
        return number < node.receipts ? refuse(4444, 'pruned history unavailable') : ['0x01']
      default:
        return '0x00'
    }
  }
}

async function probe(
  facts: Partial<Node>,
): Promise<{ report: ProbeReport; upstream: Upstream; node: RpcUpstream }> {
  await using node = await startRpcUpstream(answerOf({ ...archive, ...facts }))
  const clock = createManualClock(1_000_000)
  const upstream = upstreamOf(node.url, clock)
  const report = await probeUpstream(upstream, { clock }, never)
  await upstream.close()
  return { report, upstream, node }
}

test('the probe of an archive node finds everything', async () => {
  const { report, node } = await probe({})
  assert.deepEqual(report, {
    upstream: 'a',
    failure: null,
    chainId,
    client: 'Some/v1',
    head: {
      number: 5_000_000n,
      hash: `0x${5_000_000n.toString(16).padStart(64, '0')}`,
      timestamp: 100,
      ageSeconds: 900,
    },
    acceptsBlockHash: true,
    reach: { state: 'all', proof: 'all', body: 'all', receipts: 'all' },
    lacks: [],
  })
  assert.ok(node.received.length < 40, `${node.received.length}`)
})

test('a full node proves a window, stores values longer, and has dropped old bodies', async () => {
  const { head } = archive
  const { report, upstream, node } = await probe({
    proof: head - 127n,
    state: head - 90_000n,
    body: 3_000_000n,
    receipts: 3_000_000n,
  })
  const body = { from: head - (1024n << 10n) }
  assert.deepEqual(report.reach, {
    proof: { age: 127n },
    state: { age: 65_536n },
    body,
    receipts: body,
  })
  assert.ok(node.received.length < 60, `${node.received.length}`)
  upstream.setLag(0, head)
  assert.equal(upstream.can('proof', head - 127n), 'yes')
  assert.equal(upstream.can('proof', head - 128n), 'no')
  assert.equal(upstream.can('body', 4_500_000n), 'yes')
})

test('a node that proves nothing, or only its head', async () => {
  assert.equal((await probe({ proof: archive.head + 1n })).report.reach.proof, 'none')
  assert.deepEqual((await probe({ proof: archive.head })).report.reach.proof, { age: 0n })
  assert.equal((await probe({ lacks: ['eth_getProof'] })).report.reach.proof, 'none')
})

test('unknown methods are named, and receipts are found by another method', async () => {
  const lacks = ['debug_getRawHeader', 'debug_getRawBlock', 'eth_getBlockReceipts']
  const { report } = await probe({ lacks })
  assert.deepEqual(report.lacks, lacks)
  assert.equal(report.reach.receipts, 'all')
  const both = await probe({ lacks: ['eth_getBlockReceipts', 'debug_getRawReceipts'] })
  assert.equal(both.report.reach.receipts, 'none')
})

test('a node that accepts no block hash is detected', async () => {
  assert.equal((await probe({ pins: false })).report.acceptsBlockHash, false)
})

test('a node of another chain is detected and not used', async () => {
  const { report, upstream } = await probe({ id: 5n })
  assert.equal(report.chainId, 5n)
  assert.equal(upstream.status().state, 'wrong-chain')
})

test('a chain of one block can be probed', async () => {
  const { report } = await probe({ head: 0n })
  assert.equal(report.reach.proof, 'all')
  assert.equal(report.acceptsBlockHash, null)
})

test('an unreachable node has a report, and its earlier results remain', async () => {
  const upstream = upstreamOf('http://127.0.0.1:1/v3/secretkey')
  upstream.setHistoryDepths({ proof: 'all' })
  const report = await probeUpstream(upstream, { clock: createManualClock() }, never)
  assert.equal(report.failure, 'ECONNREFUSED')
  assert.equal(report.head, null)
  assert.equal(report.reach.proof, 'all')
  await upstream.close()
})

test('a node that fails in the middle of a search leaves that search open', async () => {
  const honest = answerOf(archive)
  await using node = await startRpcUpstream((call, response) =>
    call.method === 'eth_getBalance' ? void response.writeHead(502).end() : honest(call, response),
  )
  const upstream = upstreamOf(node.url)
  upstream.setHistoryDepths({ state: { age: 7n } })
  const report = await probeUpstream(upstream, { clock: createManualClock() }, never)
  assert.equal(report.failure, null)
  assert.deepEqual(report.reach.state, { age: 7n })
  assert.equal(report.reach.proof, 'all')
  await upstream.close()
})

test('a malformed head is no head', async () => {
  for (const nonsense of [null, [], 'text', {}, { number: '0x', hash: '0x01', timestamp: 1 }]) {
    await using node = await startRpcUpstream(({ method }) =>
      method === 'eth_chainId' ? '0x1' : nonsense,
    )
    const upstream = upstreamOf(node.url)
    const report = await probeUpstream(upstream, { clock: createManualClock() }, never)
    assert.equal(report.head, null)
    assert.equal(report.reach.proof, 'unknown')
    await upstream.close()
  }
})

test('probing ends when its signal aborts', async () => {
  await using node = await startRpcUpstream(() => undefined)
  const upstream = upstreamOf(node.url)
  const leaver = new AbortController()
  const report = probeUpstream(upstream, { clock: createManualClock() }, leaver.signal)
  leaver.abort(new Error('gone'))
  await assert.rejects(report, /gone/)
  await upstream.close()
})

test('all are probed at the start, hourly, and a minute after a failure', async () => {
  const clock = createManualClock()
  await using node = await startRpcUpstream(answerOf(archive))
  const well = upstreamOf(node.url, clock)
  const down = upstreamOf('http://127.0.0.1:1', clock, 'down')
  const prober = createProber({ network: 'n', upstreams: [well, down], clock, log: silentLog })
  assert.equal(node.received.length, 0)
  clock.advance(2_000)
  await prober.started
  const failures = new Map(prober.reports().map(({ upstream, failure }) => [upstream, failure]))
  assert.deepEqual(
    failures,
    new Map([
      ['a', null],
      ['down', 'ECONNREFUSED'],
    ]),
  )
  const once = node.received.length
  clock.advance(60_000)
  assert.equal(clock.timers > 0, true)
  clock.advance(3_540_000)
  while (node.received.length < once * 2) await new Promise(setImmediate)
  prober.stop()
  await Promise.all([well.close(), down.close()])
  assert.ok(node.received.length >= once * 2)
})

const chain: StubChain = await openStubChain()

test('the probe of a node of the recorded chain reports its settings', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const look = async (): Promise<ProbeReport> => {
    const upstream = createUpstream(
      { ...defaultUpstreamLimits, url: stub.url, trusted: false, headers: {} },
      { methods: servingPolicies, clock: systemClock, log: silentLog },
    )
    const report = await probeUpstream(upstream, { clock: systemClock }, never)
    await upstream.close()
    return report
  }
  const honest = await look()
  assert.equal(honest.failure, null)
  assert.equal(honest.chainId, stub.knobs.chainId)
  assert.equal(honest.head?.number, 54n)
  assert.equal(honest.acceptsBlockHash, true)
  assert.deepEqual(honest.reach, { state: 'all', proof: 'all', body: 'all', receipts: 'all' })
  for (const client of ['geth', 'reth', 'erigon'] as const) {
    stub.knobs.proofWindow = { blocks: 2, client }
    assert.deepEqual((await look()).reach.proof, { age: 1n }, client)
  }
  stub.knobs.prunedBelow = 50n
  stub.knobs.blockHashParameter = false
  stub.knobs.lacks = (method) => method.startsWith('debug_')
  const poor = await look()
  assert.deepEqual(poor.reach.body, { from: 53n })
  assert.equal(poor.acceptsBlockHash, false)
  assert.deepEqual(poor.lacks, ['debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts'])
})
