// Later calls reuse what earlier ones learned: fewer round trips to the upstream, counted at a proxy.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { until } from '../fakes/until.ts'
import {
  type Answer,
  holder,
  multicaller,
  proxy,
  reader,
  selfCaller,
  startBehind,
  startCalledChain,
  token,
  word,
} from './called-chain.ts'
import { cleanUpAfter } from './clean-up.ts'
import { startRpcProxy } from './rpc-proxy.ts'

/** Shared by all tests: none needs its head. */
const chain = await startCalledChain(cleanUpAfter())

const balanceOf = (to: string, owner: string) => ({ to, data: word(BigInt(owner)) })
const read = (slots: number) => ({ to: reader, data: word(slots) })
const other = `0x${'5a'.repeat(20)}`

/** Calldata like that of `aggregate((address,bytes)[])`. */
function multicall(calls: readonly { readonly to: string; readonly data: string }[]) {
  const tuples = calls.map(({ to, data }) =>
    [word(BigInt(to)), word(64), word(32), data].map((part) => part.slice(2)).join(''),
  )
  const offsets = calls.map((_, index) => word(32 * calls.length + 128 * index).slice(2))
  const head = [word(32), word(calls.length)].map((part) => part.slice(2))
  return { to: multicaller, data: `0x12345678${[...head, ...offsets, ...tuples].join('')}` }
}

type MeasuredCall = {
  readonly answer: Answer
  readonly roundTrips: number
  readonly methods: Set<string>
}

async function startCounted(t: TestContext) {
  const node = await startRpcProxy(t, chain.url)
  const cairn = await startBehind(t, chain.genesisFile, [node.url])
  // Exclude the fork check and the head's header, which do not belong to a call.
  await cairn.ask('eth_call', [{ to: other, data: '0x' }, 'latest'])
  // Requests that are sent together arrive within this time also on a busy machine.
  node.delayMs = 100
  async function ask(call: object, block: unknown = 'latest'): Promise<MeasuredCall> {
    node.forget()
    const answer = await cairn.ask('eth_call', [call, block])
    const roundTrips = Math.max(0, ...node.calls.map(({ depth }) => depth))
    return { answer, roundTrips, methods: new Set(node.calls.map(({ method }) => method)) }
  }
  return { ask }
}

/** Mines a new block and returns it as a block parameter. */
async function mine() {
  await chain.rpc('evm_mine', [])
  const { result } = await chain.rpc('eth_getBlockByNumber', ['latest', false])
  return { blockHash: (result as { readonly hash: string }).hash }
}

const proved = (number: number): Answer => ({ result: word(number), verified: 'proof' })

test('the balance of another holder takes one round trip, and no hint', async (t) => {
  const { ask } = await startCounted(t)
  for (const to of [token, proxy]) {
    deepEqual((await ask(balanceOf(to, other))).answer, proved(0))
    const { answer, roundTrips, methods } = await ask(balanceOf(to, holder))
    deepEqual(answer, proved(1234))
    ok(roundTrips <= 1, `${roundTrips} round trips`)
    ok(!methods.has('eth_createAccessList'))
  }
})

test('a call that is known takes one round trip at a new block', async (t) => {
  const { ask } = await startCounted(t)
  deepEqual((await ask(read(31))).answer, proved(496))
  deepEqual((await ask(balanceOf(proxy, holder))).answer, proved(1234))
  const block = await mine()
  for (const [call, sum] of [
    [read(31), 496],
    [balanceOf(proxy, holder), 1234],
  ] as const) {
    const { answer, roundTrips } = await ask(call, block)
    deepEqual(answer, proved(sum))
    equal(roundTrips, 1)
  }
})

test('a call that reads more than was learned is proved, and asks for a hint the next time', async (t) => {
  const { ask } = await startCounted(t)
  deepEqual((await ask(read(5))).answer, proved(15))
  const missed = await ask(read(20))
  deepEqual(missed.answer, proved(210))
  ok(missed.roundTrips <= 3, `${missed.roundTrips} round trips`)
  const next = await ask(read(40))
  deepEqual(next.answer, proved(820))
  ok(next.roundTrips <= 2, `${next.roundTrips} round trips`)
  ok(next.methods.has('eth_createAccessList'))
})

test('a multicall takes one round trip if each call that it carries was seen, alone or in another', async (t) => {
  const { ask } = await startCounted(t)
  const { answer } = await ask(multicall([balanceOf(token, other), read(5)]))
  deepEqual(answer, proved(15))
  deepEqual((await ask(balanceOf(proxy, other))).answer, proved(0))
  const calls = [
    balanceOf(proxy, holder),
    read(5),
    balanceOf(token, holder),
    balanceOf(token, proxy),
  ]
  const known = await ask(multicall(calls), await mine())
  deepEqual(known.answer, proved(1234 + 15 + 1234))
  equal(known.roundTrips, 1)
  ok(!known.methods.has('eth_createAccessList'))
})

/** Calldata of `multicall(bytes[])` with a read of each owner's balance. */
function ownMulticall(owners: readonly string[]) {
  const items = owners.map((owner) => `${word(36).slice(2)}11223344${word(BigInt(owner)).slice(2)}`)
  const offsets = items.map((_, index) => word(32 * owners.length + 68 * index).slice(2))
  const head = [word(32), word(owners.length)].map((part) => part.slice(2))
  return { to: selfCaller, data: `0xac9650d8${[...head, ...offsets, ...items].join('')}` }
}

test('a contract that calls itself by multicall(bytes[]) takes one round trip if its functions were seen', async (t) => {
  const { ask } = await startCounted(t)
  deepEqual((await ask(ownMulticall([other]))).answer, proved(0))
  const { answer, roundTrips, methods } = await ask(ownMulticall([holder, proxy]), await mine())
  deepEqual(answer, proved(2345))
  equal(roundTrips, 1)
  ok(!methods.has('eth_createAccessList'))
})

test('after a new head, a call that was asked at the last two takes no round trip', async (t) => {
  const node = await startRpcProxy(t, chain.url)
  const heads = 'heads: {pollMs: 50}'
  const cairn = await startBehind(t, chain.genesisFile, [node.url], [heads])
  const call = () => cairn.ask('eth_call', [balanceOf(token, holder), 'latest'])

  /** Resolves when Cairn follows a new block; counts the node's calls from then on. */
  async function follow() {
    node.forget()
    await chain.rpc('evm_mine', [])
    const newest = await chain.rpc('eth_blockNumber', [])
    await until(async () => {
      equal((await cairn.ask('eth_blockNumber', [])).result, newest.result)
    })
  }

  for (let head = 0; head < 2; head += 1) {
    await follow()
    deepEqual(await call(), proved(1234))
  }
  const each = node.calls.length
  ok(each > 0)
  await follow()
  await until(() => deepEqual([node.calls.length, node.underway], [each, 0]))
  deepEqual(await call(), proved(1234))
  equal(node.calls.length, each)
})
