// Receipts rendered from raw entries, against recorded replies of go-ethereum.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainFolder } from '../../test/fakes/chain-vectors.ts'
import {
  createVectorNetwork,
  encodeReceiptJson,
  type ReceiptJson,
} from '../../test/fakes/upstream/vector-network.ts'
import { readTranscripts } from '../../test/api/transcripts.ts'
import { fromHex, toQuantity } from '../base/hex.ts'
import type { Transaction } from '../codec/ethereum/transaction.ts'
import { findLocated } from './located.ts'
import { placeReceipts, renderReceipt } from './receipt-object.ts'
import { createSenderCache } from './sender-cache.ts'
import { locationIn, readTransaction } from './transactions.ts'

type Recorded = ReceiptJson & {
  readonly transactionHash: string
  readonly gasUsed: string
  readonly logs: readonly { readonly logIndex: string }[]
}

test('each recorded receipt is rendered member by member', async () => {
  const network = createVectorNetwork()
  const recorded = readTranscripts(chainFolder)
    .filter(({ method }) => method === 'eth_getTransactionReceipt')
    .flatMap(({ response }) => (JSON.parse(response) as { result: Recorded | null }).result ?? [])
  assert.ok(recorded.length >= 5)
  for (const expected of recorded) {
    const hash = fromHex(expected.transactionHash)
    const located = await findLocated(network, hash, new AbortController().signal)
    assert(located !== null)
    // The earlier receipts are not recorded, but their total gas and their number of logs are.
    const before = BigInt(expected.cumulativeGasUsed) - BigInt(expected.gasUsed)
    const cumulativeGasUsed = toQuantity(before)
    const [first] = expected.logs
    const logs = Array(Number(first?.logIndex ?? 0)).fill(first)
    const earlier = Array.from({ length: located.index }, (_, at) => ({
      ...expected,
      logs: at === 0 ? logs : [],
      cumulativeGasUsed,
    }))
    const entries = [...earlier, expected].map(encodeReceiptJson)
    const placed = placeReceipts(entries).at(-1)
    assert(placed !== undefined)
    const signed = readTransaction(located.raw, createSenderCache(1).find)
    const place = locationIn(located.block, located.index)
    const { excessBlobGas, timestamp } = located.block.header
    const blobs = { excessBlobGas, fraction: network.blobFeeFraction(timestamp) }
    assert.deepEqual(renderReceipt(placed, signed, place, blobs), expected)
  }
})

const receipt = (logs: number, cumulativeGasUsed: bigint) => ({
  type: '0x3',
  status: '0x0',
  cumulativeGasUsed: toQuantity(cumulativeGasUsed),
  logsBloom: `0x${'00'.repeat(256)}`,
  blockHash: '',
  transactionIndex: '',
  logs: Array(logs).fill({ address: `0x${'11'.repeat(20)}`, topics: [], data: '0x' }),
})

test('gas used is a difference and log indexes count over the whole block', () => {
  const placed = placeReceipts([receipt(2, 100n), receipt(1, 150n)].map(encodeReceiptJson))
  assert.deepEqual(
    placed.map(({ gasUsed, firstLogIndex }) => [gasUsed, firstLogIndex]),
    [
      [100n, 0],
      [50n, 2],
    ],
  )
})

test('a blob receipt shows its blob gas, and the price only when the schedule is known', () => {
  const transaction: Transaction = {
    type: 3,
    chainId: 1n,
    nonce: 0n,
    maxPriorityFeePerGas: 1n,
    maxFeePerGas: 9n,
    gas: 21000n,
    to: new Uint8Array(20),
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: [new Uint8Array(32), new Uint8Array(32)],
    v: 0n,
    yParity: 0,
    r: 1n,
    s: 1n,
  }
  const signed = { transaction, hash: new Uint8Array(32), from: new Uint8Array(20) }
  const place = {
    blockHash: new Uint8Array(32),
    blockNumber: 1n,
    blockTimestamp: 1n,
    baseFeePerGas: 5n,
    index: 0,
  }
  const [placed] = placeReceipts([encodeReceiptJson(receipt(0, 21000n))])
  assert(placed !== undefined)
  const excessBlobGas = 10n * 3_338_477n
  const known = renderReceipt(placed, signed, place, { excessBlobGas, fraction: 3_338_477n })
  // floor(e ** 10)
  assert.partialDeepStrictEqual(known, {
    blobGasUsed: '0x40000',
    blobGasPrice: toQuantity(22026),
    effectiveGasPrice: '0x6',
    status: '0x0',
  })
  const unknown = renderReceipt(placed, signed, place, { excessBlobGas, fraction: null })
  assert.equal(unknown['blobGasUsed'], '0x40000')
  assert.equal('blobGasPrice' in unknown, false)
})
