// Compares replies recorded from go-ethereum with Cairn's over the same chain, split into content. Receipts come from the recorded
// replies and count only if the header's receiptsRoot proves them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainFolder } from '../../../test/fakes/chain-vectors.ts'
import { createFakePost } from '../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../test/fakes/upstream/vector-network.ts'
import { replayTranscripts } from '../../../test/api/rpc-compat.ts'
import { readTranscripts } from '../../../test/api/transcripts.ts'
import { systemClock } from '../../base/clock.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { createRpcOperations } from './index.ts'

const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})

/** The transcripts of these methods need neither state nor an EVM. */
const methods = [
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawTransaction',
  'eth_blockNumber',
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_chainId',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_syncing',
  'net_version',
]

for (const method of methods) {
  test(`${method} answers as recorded`, async () => {
    const replay = await replayTranscripts({
      folder: chainFolder,
      methods: new Set([method]),
      post: createFakePost(operations, createVectorNetwork()),
      exactMessages: new Set(methods),
    })
    assert.deepEqual(replay.failures, [])
    assert.notEqual(replay.sent, 0)
  })
}

test('receipts answer as recorded wherever their root proves them', async () => {
  const replay = await replayTranscripts({
    folder: chainFolder,
    methods: new Set(['eth_getTransactionReceipt', 'eth_getBlockReceipts']),
    post: createFakePost(operations, createVectorNetwork()),
  })
  // Some blocks lack recorded receipts, so their bodies count as pruned. The chain file begins with block 1, so block 0 is unknown.
  const differing = replay.failures
    .filter(({ why }) => !why.includes('pruned history unavailable'))
    .map(({ name }) => name)
  const first = readTranscripts(chainFolder).filter(({ request }) =>
    /"(?:0x0|earliest)"/.test(request),
  )
  assert.deepEqual(
    differing,
    first.map(({ name }) => name).filter((name) => name.startsWith('eth_getBlockReceipts/')),
  )
  assert.equal(differing.length, 2)
  assert.ok(replay.sent - replay.failures.length >= 3)
})

test('eth_feeHistory gives the recorded base fees and gas ratio', async () => {
  const post = createFakePost(operations, createVectorNetwork())
  const recorded = readTranscripts(chainFolder).filter(({ method }) => method === 'eth_feeHistory')
  assert.ok(recorded.length > 0)
  for (const { request, response } of recorded) {
    const call = JSON.parse(request) as { params: readonly unknown[] }
    // The rewards need receipts, which the chain file lacks.
    const params = call.params.with(2, [])
    const { text } = await post(JSON.stringify({ ...call, params }))
    const { reward: _, ...expected } = (JSON.parse(response) as { result: { reward?: unknown } })
      .result
    assert.deepEqual(JSON.parse(text).result, expected)
  }
})

test('every forecast of a base fee is the base fee the chain then had', async () => {
  const post = createFakePost(operations, createVectorNetwork())
  const feeHistory = async (count: string, newest: string) => {
    const params = [count, newest, []]
    const { text } = await post(JSON.stringify({ id: 1, method: 'eth_feeHistory', params }))
    return JSON.parse(text).result as { baseFeePerGas: string[]; oldestBlock: string }
  }
  // London is in force from block 25 on; the genesis is not part of the chain file.
  const { baseFeePerGas, oldestBlock } = await feeHistory('0x1a', '0x36')
  assert.equal(oldestBlock, '0x1d')
  for (const [index, fee] of baseFeePerGas.slice(1).entries()) {
    const one = await feeHistory('0x1', `0x${(0x1d + index).toString(16)}`)
    assert.equal(one.baseFeePerGas[1], fee)
  }
})

test('every integer of every transaction of the recorded chain is a QUANTITY, as Go clients demand', async () => {
  const network = createVectorNetwork()
  const post = createFakePost(operations, network)
  let seen = 0
  for (let number = 1n; number <= network.head.latest().number; number += 1n) {
    const params = [`0x${number.toString(16)}`, true]
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params }
    const { text } = await post(JSON.stringify(body))
    const { result } = JSON.parse(text) as { result: { transactions: TransactionJson[] } }
    for (const transaction of result.transactions) {
      const signed = [transaction, ...(transaction.authorizationList ?? [])]
      for (const one of signed as readonly Integers[]) {
        for (const name of integers) {
          if (name in one) assert.match(one[name] ?? 'null', quantity, name)
        }
      }
      seen += 1
    }
  }
  assert.ok(seen > 100)
})

/** What `hexutil.Big` and `hexutil.Uint64` of Go accept: no leading zero digit, and `0x0` for zero. */
const quantity = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/
/** Members of a transaction or an authorization that Go decodes as integers. */
const integers = [
  'blockNumber',
  'chainId',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'maxFeePerBlobGas',
  'nonce',
  'transactionIndex',
  'type',
  'value',
  'v',
  'yParity',
  'r',
  's',
]
type Integers = Readonly<Partial<Record<string, string | null>>>
type TransactionJson = { readonly authorizationList?: readonly Integers[] }
