// The JSON encoders against recorded replies of go-ethereum, and against one mainnet block.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { toHex, toQuantity } from '../../base/hex.ts'
import { splitBlock, splitBlocks } from './block.ts'
import { decodeHeader } from './header.ts'
import { encodeHeaderJson } from './header-json.ts'
import { keccak256 } from '../hash/keccak.ts'
import { decodeEntries } from './list.ts'
import { encodeReceiptsJson } from './receipt-json.ts'
import type { Transaction } from './transaction.ts'
import { decodeTransaction } from './transaction.ts'
import { encodeTransactionsJson } from './transaction-json.ts'
import { verifyKeccakKinds } from '../hash/verify-keccak.ts'
import { encodeWithdrawalsJson } from './withdrawal-json.ts'

const folder =
  process.env['CAIRN_VECTORS'] ?? join(import.meta.dirname, '../../../../shared/vectors')
const options = {
  skip: existsSync(folder)
    ? false
    : 'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors',
}
const recorded = join(folder, 'rpc-compat')

type Json = Readonly<Record<string, unknown>>

function recordedResults(methods: RegExp): unknown[] {
  return readdirSync(recorded, { recursive: true, encoding: 'utf8' })
    .filter((path) => methods.test(path) && path.endsWith('.io'))
    .flatMap((path) => readFileSync(join(recorded, path), 'utf8').split('\n'))
    .filter((line) => line.startsWith('<< '))
    .map((line) => (JSON.parse(line.slice(3)) as Json)['result'] ?? null)
}

test('every block that was recorded as JSON is proved by its hash and its roots', options, () => {
  const blocks = recordedResults(/^eth_getBlockBy/)
    .filter((result) => result !== null)
    .map((result) => result as Json)
  let lists = 0
  for (const json of blocks) {
    const bytes = encodeHeaderJson(json)
    assert.equal(toHex(keccak256(bytes)), json['hash'])
    const header = decodeHeader(bytes)
    if (header.withdrawalsRoot !== undefined) {
      const ref = { kind: 'withdrawals', hash: header.withdrawalsRoot } as const
      verifyKeccakKinds(ref, encodeWithdrawalsJson(json['withdrawals']))
    }
    const transactions = json['transactions'] as readonly unknown[]
    if (typeof transactions[0] === 'string') continue
    const ref = { kind: 'transactions', hash: header.transactionsRoot } as const
    verifyKeccakKinds(ref, encodeTransactionsJson(transactions))
    lists += transactions.length > 0 ? 1 : 0
  }
  assert.ok(blocks.length >= 5 && lists >= 2, `${blocks.length} blocks, ${lists} lists`)
})

test('receipts recorded as JSON are proved by the root in their header', options, () => {
  const roots = new Map(
    [...splitBlocks(new Uint8Array(readFileSync(join(recorded, 'chain.rlp'))))].map(
      ({ header }) => [toHex(keccak256(header)), decodeHeader(header).receiptsRoot],
    ),
  )
  let proved = 0
  for (const result of recordedResults(/^eth_getBlockReceipts/)) {
    if (!Array.isArray(result) || result.length === 0) continue
    const hash = roots.get(String((result as Json[])[0]?.['blockHash']))
    assert.ok(hash)
    verifyKeccakKinds({ kind: 'receipts', hash }, encodeReceiptsJson(result))
    proved += 1
  }
  assert.ok(proved >= 1, `only ${proved} lists proved`)
})

test('a mainnet block printed as JSON is encoded to its bytes', options, () => {
  const path = join(folder, 'mainnet-proofs/usdc-implementation-slot/block.rlp')
  const { transactions } = splitBlock(new Uint8Array(readFileSync(path)))
  const printed = decodeEntries(transactions).map((raw) => print(decodeTransaction(raw)))
  assert.deepEqual(encodeTransactionsJson(JSON.parse(JSON.stringify(printed))), transactions)
})

/** The transaction in the JSON form of a node. */
function print(transaction: Transaction): Json {
  return Object.fromEntries(
    Object.entries(transaction).map(([name, value]) => [
      name === 'data' ? 'input' : name,
      printValue(value),
    ]),
  )
}

function printValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return toQuantity(value)
  if (value instanceof Uint8Array) return toHex(value)
  if (Array.isArray(value)) return value.map(printValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, printValue(it)]))
}
