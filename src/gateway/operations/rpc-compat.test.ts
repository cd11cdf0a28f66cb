// Replies recorded from go-ethereum, compared with ours over the same chain cut into content. Receipts come
// from the recorded replies themselves and count only where the header's receiptsRoot proves them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingVectors, vectorsFolder } from '../../../test/fakes/chain-vectors.ts'
import { createFakePost } from '../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../test/fakes/vector-network.ts'
import { replayTranscripts } from '../../../test/faces/rpc-compat.ts'
import { systemClock } from '../../base/clock.ts'
import { createSenderCache } from '../../ethereum/sender-cache.ts'
import { createRpcOperations } from './index.ts'

const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})

/** Transcripts of these methods need neither state nor an EVM. */
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
  test(`${method} answers as recorded`, { skip: missingVectors }, async () => {
    const replay = await replayTranscripts({
      folder: `${vectorsFolder}/rpc-compat`,
      methods: new Set([method]),
      post: createFakePost(operations, createVectorNetwork()),
      exactMessages: new Set(methods),
    })
    assert.deepEqual(replay.failures, [])
    assert.notEqual(replay.sent, 0)
  })
}

test(
  'receipts answer as recorded wherever their root proves them',
  { skip: missingVectors },
  async () => {
    const replay = await replayTranscripts({
      folder: `${vectorsFolder}/rpc-compat`,
      methods: new Set(['eth_getTransactionReceipt', 'eth_getBlockReceipts']),
      post: createFakePost(operations, createVectorNetwork()),
    })
    // Of some blocks not every receipt was recorded, so their bodies count as pruned; and the chain file
    // begins with block 1, so block 0 is unknown here.
    const differing = replay.failures
      .filter(({ why }) => !why.includes('pruned history unavailable'))
      .map(({ name }) => name)
    assert.deepEqual(differing, [
      'eth_getBlockReceipts/get-block-receipts-0',
      'eth_getBlockReceipts/get-block-receipts-earliest',
    ])
    assert.equal(replay.sent - replay.failures.length, 3)
  },
)

test(
  'eth_feeHistory gives the recorded base fees and gas ratio',
  { skip: missingVectors },
  async () => {
    const post = createFakePost(operations, createVectorNetwork())
    const params = ['0x1', '0x1b', []]
    const { text } = await post(JSON.stringify({ id: 1, method: 'eth_feeHistory', params }))
    assert.deepEqual(JSON.parse(text).result, {
      oldestBlock: '0x1b',
      baseFeePerGas: ['0x3b9aca00', '0x342a385a'],
      gasUsedRatio: [0.00072868],
      baseFeePerBlobGas: ['0x0', '0x0'],
      blobGasUsedRatio: [0],
    })
  },
)

test(
  'every forecast of a base fee is the base fee the chain then had',
  { skip: missingVectors },
  async () => {
    const post = createFakePost(operations, createVectorNetwork())
    const ask = async (count: string, newest: string) => {
      const params = [count, newest, []]
      const { text } = await post(JSON.stringify({ id: 1, method: 'eth_feeHistory', params }))
      return JSON.parse(text).result as { baseFeePerGas: string[]; oldestBlock: string }
    }
    // London is in force from block 25 on; the genesis is not part of the chain file.
    const { baseFeePerGas, oldestBlock } = await ask('0x1a', '0x36')
    assert.equal(oldestBlock, '0x1d')
    for (const [index, fee] of baseFeePerGas.slice(1).entries()) {
      const one = await ask('0x1', `0x${(0x1d + index).toString(16)}`)
      assert.equal(one.baseFeePerGas[1], fee)
    }
  },
)

test(
  'every integer of every transaction of the recorded chain is a QUANTITY, as Go clients demand',
  { skip: missingVectors },
  async () => {
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
    assert.equal(seen, 249)
  },
)

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
