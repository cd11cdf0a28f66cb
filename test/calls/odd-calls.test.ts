// Calls that no wallet sends return the same as geth, or are refused: no wrong answer has the label `proof`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingGeth, startGeth } from '../engines/geth.ts'
import { plain, startBehindGeth } from './behind-geth.ts'
import { type Fork, generateChain } from './generated-contracts.ts'

const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const contracts = {
  /** Requires 20,000,000 gas: if (gas < 20000000) invalid. */
  [`0x${'a1'.repeat(20)}`]: '0x6301312d005a11600b57fe5b00',
  /** Returns BLOBBASEFEE and BLOBHASH(0). */
  [`0x${'a2'.repeat(20)}`]: '0x4a5f525f4960205260405ff3',
  /** Returns GASPRICE and BASEFEE. */
  [`0x${'a3'.repeat(20)}`]: '0x3a5f524860205260405ff3',
}
const [greedy = '', blobs = '', prices = ''] = Object.keys(contracts)
const hash = `0x01${'ab'.repeat(31)}`
const authorization = {
  chainId: '0x0',
  address: greedy,
  nonce: '0x0',
  yParity: '0x0',
  r: '0x1',
  s: '0x1',
}
const needless = { address: greedy, storageKeys: [hash, hash] }
const slotOf = (address: string) => ({ address, storageKeys: [hash] })
const precompile = { address: `0x${'04'.padStart(40, '0')}`, storageKeys: [hash] }

function chainOf(fork: Fork): Readonly<Record<string, unknown>> {
  const { genesis } = generateChain(1, fork)
  const alloc = Object.fromEntries(
    Object.entries(contracts).map(([at, code]) => [at, { balance: '0x0', nonce: '0x1', code }]),
  )
  return { ...genesis, alloc: { ...(genesis['alloc'] as object), ...alloc } }
}

type Case = readonly [method: string, params: readonly unknown[]]

const cases: readonly Case[] = [
  ['eth_call', [{ to: greedy }, 'latest']],
  ['eth_call', [{ to: prices, nonce: '0xffffffffffffffff' }, 'latest']],
  ['eth_call', [{ data: '0x5f5ff3', nonce: '0xffffffffffffffff' }, 'latest']],
  ['eth_estimateGas', [{ to: rich, nonce: '0xffffffffffffffff' }, 'latest']],
  ['eth_createAccessList', [{ to: blobs, from: rich, nonce: '0xffffffffffffffff' }, 'latest']],
  ['eth_createAccessList', [{ to: blobs, from: rich, gasPrice: '0x0' }, 'latest']],
  ['eth_createAccessList', [{ to: blobs, from: rich, maxPriorityFeePerGas: '0x77' }, 'latest']],
  [
    'eth_createAccessList',
    [{ to: blobs, from: rich, accessList: [needless, needless, precompile] }, 'latest'],
  ],
  [
    'eth_createAccessList',
    [{ to: blobs, from: rich, accessList: [blobs, rich].map(slotOf) }, 'latest'],
  ],
  ['eth_call', [{ to: `0x${'09'.padStart(40, '0')}`, data: '0x00' }, 'latest']],
  ['eth_call', [{ to: blobs, blobVersionedHashes: [hash] }, 'latest']],
  ['eth_call', [{ to: blobs, from: rich, blobVersionedHashes: [hash, hash] }, 'latest']],
  ['eth_call', [{ to: blobs, blobVersionedHashes: [hash], maxFeePerBlobGas: '0x0' }, 'latest']],
]

for (const fork of ['prague', 'osaka'] as const) {
  test(
    `odd calls on ${fork} answer as geth does, with a proof`,
    { skip: missingGeth(), timeout: 300_000 },
    async (t) => {
      const geth = await startGeth(t, chainOf(fork))
      const cairn = await startBehindGeth(t, geth)
      for (const [method, params] of cases) {
        const { verified, ...answer } = await cairn.call(method, params)
        const expected = await geth.call(method, params)
        assert.deepEqual(plain(answer), plain(expected as never), JSON.stringify([method, params]))
        if (answer.error === undefined) assert.equal(verified, 'proof')
      }
      await t.test('a gas estimate has the cap of a transaction from Osaka on alone', async () => {
        const params = [{ to: greedy }, 'latest']
        const expected = await geth.call('eth_estimateGas', params)
        const { verified: _, ...answer } = await cairn.call('eth_estimateGas', params)
        if (fork === 'osaka') assert.deepEqual(plain(answer), plain(expected as never))
        else assert.equal(Number(answer.result) > 20_000_000, true)
      })
    },
  )
}

test(
  'a call with members of two types, or of a type that its block does not know, is not proved',
  { skip: missingGeth(), timeout: 300_000 },
  async (t) => {
    const geth = await startGeth(t, chainOf('cancun'))
    const cairn = await startBehindGeth(t, geth)
    const both = { authorizationList: [authorization], blobVersionedHashes: [hash] }
    for (const members of [both, { authorizationList: [authorization] }]) {
      for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList']) {
        const params = [{ to: blobs, from: rich, ...members }, 'latest']
        const { error, verified } = await cairn.call(method, params)
        assert.match(error?.message ?? '', /^the call has members of another type of transaction$/)
        assert.equal(verified, 'none')
      }
    }
  },
)
