// debug_traceCall behind an upstream, traced by Cairn on proved state: the traces of each tracer, and unsupported tracers.
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  holder,
  proxy,
  reader,
  refuser,
  startBehind,
  startBothWays,
  startCalledChain,
  token,
  word,
} from './called-chain.ts'
import { cleanUpAfter } from './clean-up.ts'
import { until } from '../fakes/until.ts'
import { startRpcProxy } from './rpc-proxy.ts'

const method = 'debug_traceCall'
const request = { from: holder, to: proxy, data: word(BigInt(holder)) }

const configs: readonly object[] = [
  {},
  { enableMemory: true, enableReturnData: true, disableStack: true },
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } },
  { tracer: 'prestateTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true, disableCode: true } },
  { tracer: '4byteTracer' },
  { tracer: 'noopTracer' },
  { tracer: 'callTracer', stateOverrides: { [token]: { stateDiff: { [word(0)]: word(5) } } } },
  { tracer: 'callTracer', blockOverrides: { number: '0x64', time: '0x7fffffff' } },
]

/** Shared, because no test changes its state. */
const calledChain = startCalledChain(cleanUpAfter())

test('a call is traced on proved state by each tracer, also one that reverts or cannot begin', async (t) => {
  const chain = await calledChain
  const cairn = await startBehind(t, chain.genesisFile, [chain.url], ['verify: require'])
  for (const call of [
    request,
    { to: refuser, data: '0x08c379a0' },
    { to: reader, data: word(3) },
  ]) {
    for (const config of configs) {
      const params = [call, 'latest', config]
      const { result } = await chain.rpc(method, params)
      deepEqual(await cairn.ask(method, params), { result, verified: 'proof' } satisfies Answer)
    }
  }
  const params = [{ ...request, gas: '0x1' }, 'latest']
  const { verified: _, ...expected } = await chain.rpc(method, params)
  match(expected.error?.message ?? '', /^intrinsic gas too low/)
  deepEqual(await cairn.ask(method, params), { ...expected, verified: 'proof' })
})

test('a tracer that Cairn lacks is forwarded, or refused by its name', async (t) => {
  const chain = await calledChain
  const node = await startRpcProxy(t, chain.url)
  const own = { result: { traced: 'by the node' } }
  const tracerOf = (params: readonly unknown[]) => (params[2] as { tracer?: string }).tracer ?? ''
  node.change = ({ method: name, params }, reply) =>
    name === method && /^(mux|{)|^$/.test(tracerOf(params)) ? own : reply
  const script = '{result: () => 1, fault: () => 2}'
  const { strict, preferring } = await startBothWays(t, chain.genesisFile, node.url)
  for (const [config, text] of [
    [{ tracer: 'muxTracer', tracerConfig: { callTracer: {} } }, /^tracer "muxTracer" is not supp/],
    [
      { tracer: script },
      /^tracer "{result: \(\) => 1, fault: \(\) => 2}" is not supported, only c/,
    ],
    [{ txIndex: '0x0' }, /^txIndex is not supported/],
  ] as const) {
    const params = [request, 'latest', config]
    deepEqual(await preferring.ask(method, params), { ...own, verified: 'none' })
    const { error, verified } = await strict.ask(method, params)
    match(error?.message ?? '', text)
    equal(verified, 'none')
  }
})

test('a trace beyond the limits is forwarded, or refused', async (t) => {
  const chain = await calledChain
  const params = [
    { to: reader, data: word(5_000), gas: '0x2faf080' },
    'latest',
    { disableStack: true },
  ]
  const node = await startRpcProxy(t, chain.url)
  node.change = (request, reply) => (request.method === method ? { result: 'long' } : reply)
  const { strict, preferring } = await startBothWays(t, chain.genesisFile, node.url)
  const { error, verified } = await strict.ask(method, params)
  match(error?.message ?? '', /^the call reads more than 4096 slots$|^response too large$/)
  equal(verified, 'none')
  deepEqual(await preferring.ask(method, params), { result: 'long', verified: 'none' })
})

test('an upstream whose trace has other gas or another output is logged', async (t) => {
  const chain = await calledChain
  const node = await startRpcProxy(t, chain.url)
  let isLying = false
  let honest = 0
  node.change = (request, reply) => {
    if (request.method !== method) return reply
    if (isLying) return { result: { ...(reply.result as object), gasUsed: '0x6666' } }
    honest += 1
    return reply
  }
  const cairn = await startBehind(t, chain.genesisFile, [node.url])
  // Equal requests in flight share one reply: these differ in their gas.
  for (const [gas, config] of [
    ['0x186a0', {}],
    ['0x186a1', { tracer: 'callTracer' }],
  ] as const) {
    equal((await cairn.ask(method, [{ ...request, gas }, 'latest', config])).verified, 'proof')
  }
  await until(() => equal(honest, 2))
  equal(differencesIn(cairn.log()), 0)
  isLying = true
  for (const config of [{}, { tracer: 'callTracer' }]) {
    const before = differencesIn(cairn.log())
    equal((await cairn.ask(method, [request, 'latest', config])).verified, 'proof')
    await until(() => equal(differencesIn(cairn.log()), before + 1))
  }
  match(cairn.log(), /"event":"chain.call_differs".*"upstream":"gas 26214, output 0x0+4d2"/)
})

const differencesIn = (log: string): number => log.split('chain.call_differs').length - 1
