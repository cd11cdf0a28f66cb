// The methods of development tools compared with the real tools: Cairn, anvil and EDR (hardhat's chain) get the same calls and must
// return the same structure.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type Started, rpc, startCairn } from '../started-server.ts'
import {
  type EngineUpstream,
  startAnvilUpstream,
  startEngineUpstream,
} from '../upstream/engine-upstream.ts'

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const stranger = '0x00000000219ab540356cbb839cbe05303d7705fa'
const unknown = word(0xabc)

type Call = readonly [method: string, ...params: unknown[]]

/** `snapshot`: replaced by the result of the last evm_snapshot. */
const shared = (prefix: string): readonly Call[] => [
  [`${prefix}_setBalance`, stranger, '0xde0b6b3a7640000'],
  [`${prefix}_setBalance`, stranger],
  [`${prefix}_setBalance`, '0x12', '0x1'],
  [`${prefix}_setCode`, stranger, '0x5f545f5260205ff3'],
  [`${prefix}_setNonce`, stranger, '0x9'],
  [`${prefix}_setStorageAt`, stranger, '0x0', word(77)],
  ['eth_getBalance', stranger, 'latest'],
  ['eth_getTransactionCount', stranger, 'latest'],
  ['eth_call', { to: stranger }, 'latest'],
  ['evm_snapshot'],
  [`${prefix}_impersonateAccount`, stranger],
  ['eth_sendTransaction', { from: stranger, to: stranger, gas: '0xffff' }],
  [`${prefix}_stopImpersonatingAccount`, stranger],
  [`${prefix}_mine`],
  [`${prefix}_mine`, '0x3', '0x3c'],
  ['evm_increaseTime', 60],
  ['evm_increaseTime', '0x3c'],
  ['evm_setNextBlockTimestamp', 4_000_000_000],
  ['evm_mine'],
  ['evm_setNextBlockTimestamp', 3_000_000_000],
  ['evm_mine', 4_000_000_100],
  ['evm_mine', '0xee6b2900'],
  ['evm_revert', 'snapshot'],
  ['evm_revert', 'snapshot'],
  ['evm_revert', '0xffff'],
  [`${prefix}_setNextBlockBaseFeePerGas`, '0x2540be400'],
  [`${prefix}_setCoinbase`, stranger],
  [`${prefix}_setMinGasPrice`, '0x1'],
  [`${prefix}_setLoggingEnabled`, true],
  ['evm_setBlockGasLimit', '0x2000000'],
  ['evm_setAutomine', false],
  [`${prefix}_getAutomine`],
  ['evm_setAutomine', true],
  ['evm_setIntervalMining', 0],
  [`${prefix}_dropTransaction`, unknown],
  ['eth_coinbase'],
]

const ofHardhat: readonly Call[] = [
  ...shared('hardhat'),
  ['hardhat_setPrevRandao', word(5)],
  ['hardhat_metadata'],
  ['evm_setIntervalMining', [1000, 2000]],
  ['evm_setIntervalMining', 0],
  ['eth_pendingTransactions'],
]

const ofAnvil: readonly Call[] = [
  ...shared('anvil'),
  ['anvil_autoImpersonateAccount', true],
  ['anvil_autoImpersonateAccount', false],
  ['anvil_getIntervalMining'],
  ['anvil_setIntervalMining', 0],
  ['anvil_setBlockTimestampInterval', 7],
  ['anvil_removeBlockTimestampInterval'],
  ['anvil_removeBlockTimestampInterval'],
  ['anvil_snapshot'],
  ['anvil_setTime', 4_100_000_000],
  ['anvil_setNextBlockTimestamp', 4_200_000_000],
  ['anvil_dropAllTransactions'],
  ['anvil_removePoolTransactions', stranger],
  ['anvil_nodeInfo'],
]

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

/** Keeps values that a program compares; replaces others by their form. */
function formOf(value: unknown): unknown {
  if (typeof value === 'number') return 'number'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => [name, formOf(member)] as const)
    return Object.fromEntries(members.toSorted(([one], [two]) => one.localeCompare(two)))
  }
  if (typeof value !== 'string') return value
  if (/^0x[0-9a-f]{64}$/.test(value)) return 'word'
  if (/^0x[0-9a-f]{40}$/.test(value)) return 'address'
  if (/^0x([1-9a-f][0-9a-f]*|0)$/.test(value)) return 'quantity'
  return /^-?\d+$/.test(value) ? 'decimal' : 'text'
}

async function forms(url: string, key: string | null, calls: readonly Call[]): Promise<unknown[]> {
  const answers: unknown[] = []
  let snapshot: unknown
  for (const [method, ...given] of calls) {
    const params = given.map((param) => (param === 'snapshot' ? snapshot : param))
    const { result, error } = await (key === null
      ? askEngine(url, method, params)
      : rpc(url, key, method, params))
    if (method === 'evm_snapshot') snapshot = result
    answers.push([method, ...given, error === undefined ? formOf(result) : 'refused'])
  }
  return answers
}

async function askEngine(url: string, method: string, params: readonly unknown[]) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as { result?: unknown; error?: unknown }
}

/** `differing`: methods without a tool's prefix for which Cairn replies as the other tool. */
async function compare(
  engine: EngineUpstream,
  calls: readonly Call[],
  differing: readonly string[],
) {
  await cairn.rpc('hardhat_reset', [])
  const own = await forms(cairn.url, cairn.apiKey, calls)
  const theirs = await forms(engine.url, null, calls)
  const different = calls.filter((_, index) => !isDeepStrictEqual(own[index], theirs[index]))
  const names = new Set(different.map(([method]) => method))
  assert.deepEqual(
    [...names].toSorted(),
    differing,
    JSON.stringify(
      calls
        .map((_, index) => [own[index], theirs[index]])
        .filter(([one, two]) => !isDeepStrictEqual(one, two)),
    ),
  )
}

test('the answers have the form of those of hardhat’s chain', async (t) => {
  const engine = await startEngineUpstream(t)
  if (engine === null) return t.skip('EDR is not installed')
  await compare(engine, ofHardhat, ['evm_mine'])
})

test('the answers have the form of those of anvil', async (t) => {
  const engine = await startAnvilUpstream(t)
  if (engine === null) return t.skip('anvil is not installed')
  await compare(engine, ofAnvil, [
    'evm_increaseTime',
    'evm_setAutomine',
    'evm_setIntervalMining',
    'evm_setNextBlockTimestamp',
  ])
})
