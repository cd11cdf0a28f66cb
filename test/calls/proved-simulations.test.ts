// eth_simulateV1 behind an upstream, executed by Cairn on proved state: blocks with the hashes and roots of a node, and values without
// a root.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { toQuantity } from '../../src/base/hex.ts'
import {
  type Answer,
  type CalledChain,
  hasher,
  holder,
  proxy,
  reader,
  refuser,
  startBehind,
  startBothWays,
  startCalledChain,
  token,
  twins,
  word,
} from './called-chain.ts'
import { cleanUpAfter } from './clean-up.ts'
import { until } from '../fakes/until.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

const method = 'eth_simulateV1'
const calls = [
  { from: holder, to: proxy, data: word(BigInt(holder)), value: '0x1' },
  { to: hasher, data: word(0) },
]
const zeros = Object.fromEntries(Array.from({ length: 5 }, (_, slot) => [word(slot), word(0)]))
const stranger = `0x${'99'.repeat(20)}`
const poor = { balance: '0x0', nonce: '0x0' }

const simulations: Readonly<Record<string, object>> = {
  'calls that carry state over': { blockStateCalls: [{ calls }, { calls }], traceTransfers: true },
  'a gap, and blocks that read the hashes before them': {
    blockStateCalls: [
      { calls },
      { blockOverrides: { number: '0x5' }, calls: [{ to: hasher, data: word(3) }] },
    ],
    returnFullTransactions: true,
  },
  'slots that are set to zero': {
    blockStateCalls: [
      { stateOverrides: { [reader]: { stateDiff: zeros } } },
      { stateOverrides: { [token]: { state: {} } }, calls },
    ],
  },
  'accounts that are emptied, and one that is not there': {
    blockStateCalls: [
      { stateOverrides: { [holder]: poor, [stranger]: { balance: '0x5' } } },
      {
        stateOverrides: { [stranger]: poor },
        calls: [{ from: holder, to: holder }, { to: stranger }],
      },
    ],
  },
  'a call that reverts, and one that creates': {
    blockStateCalls: [
      { calls: [{ to: refuser, data: '0x08c379a0' }, { data: '0x6001600c60003960016000f300' }] },
    ],
  },
  validation: {
    blockStateCalls: [{ calls: [{ from: holder, to: token, maxFeePerGas: '0x77359400' }] }],
    validation: true,
  },
}

const errors: Readonly<Record<string, object>> = {
  'a nonce too high': {
    blockStateCalls: [{ calls: [{ from: holder, to: token, nonce: '0x9', maxFeePerGas: '0x1' }] }],
    validation: true,
  },
  'a price below the base fee': {
    blockStateCalls: [{ calls: [{ from: holder, to: token, maxFeePerGas: '0x1' }] }],
    validation: true,
  },
  'a sender without funds': {
    blockStateCalls: [{ calls: [{ from: stranger, to: token, value: '0x1' }] }],
  },
  'numbers out of order': {
    blockStateCalls: [{ blockOverrides: { number: '0x5' } }, { blockOverrides: { number: '0x4' } }],
  },
}

const scope = cleanUpAfter()
let chain: CalledChain
let node: RpcProxy
let strict: Awaited<ReturnType<typeof startBehind>>
let preferring: Awaited<ReturnType<typeof startBehind>>

before(async () => {
  chain = await startCalledChain(scope)
  node = await startRpcProxy(scope, chain.url)
  const both = await startBothWays(scope, chain.genesisFile, node.url, chain.url)
  strict = both.strict
  preferring = both.preferring
})

for (const [name, simulation] of Object.entries(simulations)) {
  test(`the blocks of a node, with a proof: ${name}`, async () => {
    const params = [simulation, 'latest']
    const { result } = await chain.rpc(method, params)
    ok(result !== undefined)
    deepEqual(await strict.ask(method, params), { result, verified: 'proof' } satisfies Answer)
  })
}

for (const [name, simulation] of Object.entries(errors)) {
  test(`the error of a node, with a proof: ${name}`, async () => {
    const params = [simulation, 'latest']
    const { error } = await chain.rpc(method, params)
    ok(error !== undefined)
    deepEqual(await strict.ask(method, params), { error, verified: 'proof' } satisfies Answer)
  })
}

test('a simulation that repeats asks nothing of the upstream', async () => {
  const block = { calls: [{ to: reader, data: word(9) }] }
  const ask = async (blockStateCalls: readonly object[]) =>
    (await preferring.ask(method, [{ blockStateCalls }, 'latest'])).verified
  equal(await ask([block]), 'proof')
  node.forget()
  equal(await ask([block]), 'proof')
  equal(await ask([{ ...block, blockOverrides: { time: '0x6553f10c' } }]), 'proof')
  deepEqual(node.calls, [])
})

test('blocks whose state root needs a node that no proof brings are forwarded, or refused', async () => {
  const stateOverrides = { [refuser]: { stateDiff: { [twins[0]]: word(0) } } }
  const params = [{ blockStateCalls: [{ stateOverrides }] }, 'latest']
  const { result } = await chain.rpc(method, params)
  deepEqual(await preferring.ask(method, params), { result, verified: 'none' })
  const { error, verified } = await strict.ask(method, params)
  match(error?.message ?? '', /the state root of the simulated block needs a node that no proof/)
  equal(verified, 'none')
})

test('an upstream whose blocks have another hash or return other data is logged', async () => {
  const differences = () => preferring.log().split('chain.call_differs').length - 1
  const mark = word(0xfeed)
  let compared = 0
  let lie = ''
  node.change = (request, reply) => {
    // Comparisons of earlier simulations may still be in flight.
    if (request.method !== method || !JSON.stringify(request).includes(mark)) return reply
    compared += 1
    if (lie === '') return reply
    return JSON.parse(JSON.stringify(reply).replaceAll(`"${lie}":"0x`, `"${lie}":"0x66`))
  }
  for (const [index, member] of ['', 'hash', 'returnData'].entries()) {
    lie = member
    const simulation = {
      blockStateCalls: [
        { calls: [...calls, { to: hasher, data: mark, gas: toQuantity(60_000 + index) }] },
      ],
    }
    equal((await preferring.ask(method, [simulation, 'latest'])).verified, 'proof')
    await until(() => equal(compared, index + 1))
    await until(() => equal(differences(), index))
  }
  match(preferring.log(), /"event":"chain.call_differs".*"method":"eth_simulateV1"/)
})
