// Calls behind an upstream, executed by Cairn on proved state: the requests to the upstream, the effect of its false replies, and
// calls that cannot be proved.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  type Answer,
  hasher,
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
import { mutated } from './mutated.ts'
import { until } from '../fakes/until.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

const balanceOf = (to: string) => ({ to, data: word(BigInt(holder)) })
const read = (slots: number) => ({ to: reader, data: word(slots) })
const proved = (result: unknown): Answer => ({ result, verified: 'proof' })
/** Makes calls unique by a gas limit, so that no answer is cached. */
const fresh = (call: object, nonce: number) => ({
  ...call,
  gas: `0x${(1_000_000 + nonce).toString(16)}`,
})

const scope = cleanUpAfter()
/** Shared, because no test changes its state. */
const calledChain = startCalledChain(scope)
/** For tests that count no calls of the upstream. */
const sharedBehind = calledChain.then(({ genesisFile, url }) =>
  startBehind(scope, genesisFile, [url]),
)

async function startProxied(t: TestContext) {
  const chain = await calledChain
  const node = await startRpcProxy(t, chain.url)
  const cairn = await startBehind(t, chain.genesisFile, [node.url])
  return { chain, node, cairn }
}

test('calls are proved, and hot ones ask nothing of the upstream', async (t) => {
  const { cairn, node } = await startProxied(t)
  const call = (request: object) => cairn.ask('eth_call', [request, 'latest'])
  for (const to of [token, proxy]) deepEqual(await call(balanceOf(to)), proved(word(1234)))
  deepEqual(await call(read(40)), proved(word(820)))
  const data = '0x08c379a0'
  deepEqual(await call({ to: refuser, data }), {
    error: { code: 3, message: 'execution reverted', data },
    verified: 'proof',
  })
  node.forget()
  for (const to of [token, proxy]) {
    deepEqual(await call(fresh(balanceOf(to), 1)), proved(word(1234)))
  }
  deepEqual(await call(read(31)), proved(word(496)))
  deepEqual(node.calls, [])
})

test('a cold call takes two round trips, also without a hint for its first accounts', async (t) => {
  const { cairn, node } = await startProxied(t)
  // Exclude the fork check and the head's header, which do not belong to the call.
  await cairn.ask('eth_call', [{ to: refuser, data: '0x' }, 'latest'])
  node.delayMs = 30
  for (const request of [balanceOf(proxy), read(31)]) {
    node.forget()
    equal((await cairn.ask('eth_call', [request, 'latest'])).verified, 'proof')
    const depths = node.calls.map(({ depth }) => depth)
    ok(depths.length > 0 && Math.max(...depths) <= 2, JSON.stringify(node.calls))
  }
})

test('gas, access lists and overrides are computed on proved state', async () => {
  const [chain, cairn] = await Promise.all([calledChain, sharedBehind])
  for (const [method, params] of [
    ['eth_estimateGas', [balanceOf(proxy), 'latest']],
    ['eth_createAccessList', [{ ...balanceOf(proxy), from: holder }, 'latest']],
    ['eth_call', [read(3), 'latest', { [reader]: { stateDiff: { [word(1)]: word(100) } } }]],
    ['eth_call', [read(3), 'latest', { [reader]: { state: { [word(0)]: word(5) } } }]],
    ['eth_call', [read(3), 'latest', {}, { number: '0x100', time: '0x7fffffff' }]],
    ['eth_call', [{ ...read(3), gas: '0x5300' }, 'latest']],
  ] as const) {
    const { verified: _, ...expected } = await chain.rpc(method, params)
    deepEqual(await cairn.ask(method, params), { ...expected, verified: 'proof' })
  }
})

test('BLOCKHASH reads proved hashes of earlier blocks, and zeros elsewhere', async () => {
  const [chain, cairn] = await Promise.all([calledChain, sharedBehind])
  const head = Number((await chain.rpc('eth_blockNumber', [])).result)
  for (const number of [0, head, head + 1]) {
    const params = [{ to: hasher, data: word(number) }, 'latest']
    const { result } = await chain.rpc('eth_call', params)
    deepEqual(await cairn.ask('eth_call', params), proved(result))
  }
})

test('beside a node that lies, the honest one proves the call', async (t) => {
  const chain = await calledChain
  const liar = await startRpcProxy(t, chain.url)
  liar.change = ({ method }, reply) => {
    if (method === 'eth_call') return { result: word(6666) }
    if (method !== 'eth_getProof') return reply
    const [lie] = mutated(reply.result)
    return { result: lie?.changed }
  }
  const cairn = await startBehind(t, chain.genesisFile, [liar.url, chain.url])
  for (let nonce = 0; nonce < 5; nonce += 1) {
    const params = [fresh(balanceOf(proxy), nonce), 'latest']
    deepEqual(await cairn.ask('eth_call', params), proved(word(1234)))
  }
})

test('an upstream that answers a call otherwise is logged with both answers', async (t) => {
  const { cairn, node } = await startProxied(t)
  node.change = ({ method }, reply) => (method === 'eth_call' ? { result: word(6666) } : reply)
  deepEqual(await cairn.ask('eth_call', [balanceOf(token), 'latest']), proved(word(1234)))
  await until(() =>
    match(cairn.log(), /"event":"chain.call_differs".*"proved":"0x0+4d2".*"upstream":"0x0+1a0a"/),
  )
})

test('a call that reads too much is refused with the limit, or forwarded', async (t) => {
  const chain = await calledChain
  const params = [{ ...read(5_000), gas: '0x2faf080' }, 'latest']
  const { strict, preferring } = await startBothWays(t, chain.genesisFile, chain.url)
  const { error, verified } = await strict.ask('eth_call', params)
  match(error?.message ?? '', /^the call reads more than 4096 slots$/)
  equal(verified, 'none')
  deepEqual(await preferring.ask('eth_call', params), { result: word(820), verified: 'none' })
})

test('without a known fork schedule calls are refused, or forwarded', async (t) => {
  const chain = await calledChain
  const node = await startRpcProxy(t, chain.url)
  const params = [balanceOf(token), 'latest']
  const { strict, preferring } = await startBothWays(t, null, node.url)
  match(
    (await strict.ask('eth_call', params)).error?.message ?? '',
    /^the fork schedule of strict is not known: set genesisFile$/,
  )
  deepEqual(await preferring.ask('eth_call', params), { result: word(1234), verified: 'none' })
  node.change = changeFork
  const outdated = await startBehind(t, chain.genesisFile, [node.url], ['verify: require'])
  match((await outdated.ask('eth_call', params)).error?.message ?? '', /that Cairn does not know$/)
})

const changeFork: RpcProxy['change'] = ({ method }, reply) => {
  if (method !== 'eth_config') return reply
  const { current, ...rest } = reply.result as { readonly current: object }
  return { result: { ...rest, current: { ...current, forkId: '0x01020304' } } }
}

test('a genesis file of another chain, or none at all, stops the start with a sentence', async (t) => {
  const chain = await calledChain
  const wrong = join(dirname(chain.genesisFile), 'wrong.json')
  const genesis = JSON.parse(await readFile(chain.genesisFile, 'utf8')) as { config: object }
  await writeFile(wrong, JSON.stringify({ ...genesis, config: { ...genesis.config, chainId: 5 } }))
  for (const [file, message] of [
    [wrong, /called: genesisFile .* is of chain 5, expected chain 1337/],
    [`${wrong}.none`, /called: genesisFile .* cannot be read: ENOENT/],
  ] as const) {
    await rejects(startBehind(t, file, [chain.url]), message)
  }
})

test('an upstream without hints, or with one of another form, costs trips and no proof', async (t) => {
  const { cairn, node } = await startProxied(t)
  const refused = new Set(['eth_createAccessList'])
  node.change = ({ method }, reply) =>
    refused.has(method) ? { error: { code: -32601, message: 'the method does not exist' } } : reply
  deepEqual(await cairn.ask('eth_call', [read(20), 'latest']), proved(word(210)))
  ok(node.calls.some(({ method }) => method === 'debug_traceCall'))
  refused.add('debug_traceCall')
  deepEqual(await cairn.ask('eth_call', [balanceOf(proxy), 'latest']), proved(word(1234)))
})
