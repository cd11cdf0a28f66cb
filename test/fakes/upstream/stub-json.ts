// Blocks, transactions and receipts of a stub upstream as JSON in go-ethereum's format. Uses other libraries than the codec under
// test: @ethereumjs decodes the entries, viem the lists.
import type { Block } from '@ethereumjs/block'
import type { TypedTransaction } from '@ethereumjs/tx'
import { type Hex, fromRlp, getContractAddress, keccak256, toRlp } from 'viem'
import { toHex, toQuantity } from '../../../src/base/hex.ts'
import type { StubBlock } from './stub-chain.ts'

export type Json = Record<string, unknown>
type Nested = Hex | readonly Nested[]

const headerMembers: readonly (readonly [name: string, form: 'data' | 'quantity'])[] = [
  ['parentHash', 'data'],
  ['sha3Uncles', 'data'],
  ['miner', 'data'],
  ['stateRoot', 'data'],
  ['transactionsRoot', 'data'],
  ['receiptsRoot', 'data'],
  ['logsBloom', 'data'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'data'],
  ['mixHash', 'data'],
  ['nonce', 'data'],
  ['baseFeePerGas', 'quantity'],
  ['withdrawalsRoot', 'data'],
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'data'],
  ['requestsHash', 'data'],
]

/** The header's members with its hash. */
export function headerJson(header: Uint8Array): Json {
  const items = fromRlp(header, 'hex') as readonly Hex[]
  const json: Json = { hash: keccak256(header) }
  for (const [at, item] of items.entries()) {
    const [name, form] = headerMembers[at] ?? ['unknown', 'data']
    json[name] = form === 'data' ? item : quantityOf(item)
  }
  return json
}

/** Reply of eth_getBlockByHash. */
export function blockJson(block: StubBlock, full: boolean): Json {
  const { parts, raw, view } = block
  const uncles = fromRlp(parts.uncles, 'hex') as readonly Nested[]
  return {
    ...headerJson(parts.header),
    size: toQuantity(raw.length),
    transactions: view.transactions.map((transaction, index) =>
      full ? transactionJson(block, index) : toHex(transaction.hash()),
    ),
    uncles: uncles.map((uncle) => keccak256(toRlp(uncle as never))),
    ...(parts.withdrawals === null ? {} : { withdrawals: withdrawalsJson(parts.withdrawals) }),
  }
}

/** Reply of eth_getUncleByBlockHashAndIndex; null past the end. */
export function uncleJson(block: StubBlock, index: number): Json | null {
  const uncle = (fromRlp(block.parts.uncles, 'hex') as readonly Nested[])[index]
  if (uncle === undefined) return null
  const header = toRlp(uncle as never, 'bytes')
  const empty = toRlp([uncle as never, [], []], 'bytes')
  return { ...headerJson(header), size: toQuantity(empty.length), uncles: [], transactions: [] }
}

function withdrawalsJson(bytes: Uint8Array): readonly Json[] {
  const items = fromRlp(bytes, 'hex') as unknown as readonly (readonly [Hex, Hex, Hex, Hex])[]
  return items.map(([index, validatorIndex, address, amount]) => ({
    index: quantityOf(index),
    validatorIndex: quantityOf(validatorIndex),
    address,
    amount: quantityOf(amount),
  }))
}

/** Reply of eth_getTransactionByBlockHashAndIndex; `index` must be in the block. */
export function transactionJson({ hash, view }: StubBlock, index: number): Json {
  const transaction = at(view.transactions, index)
  return {
    blockHash: hash,
    blockNumber: toQuantity(view.header.number),
    blockTimestamp: toQuantity(view.header.timestamp),
    from: transaction.getSenderAddress().toString(),
    gas: toQuantity(transaction.gasLimit),
    hash: toHex(transaction.hash()),
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to?.toString() ?? null,
    transactionIndex: toQuantity(index),
    value: toQuantity(transaction.value),
    type: toQuantity(transaction.type),
    ...pricesOf(transaction, view),
    ...listsOf(transaction),
    v: toQuantity(transaction.v ?? 0n),
    r: toQuantity(transaction.r ?? 0n),
    s: toQuantity(transaction.s ?? 0n),
    ...(transaction.type === 0 ? {} : { yParity: toQuantity(transaction.v ?? 0n) }),
  }
}

function pricesOf(transaction: TypedTransaction, { header }: Block): Json {
  if ('gasPrice' in transaction) return { gasPrice: toQuantity(transaction.gasPrice) }
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  return {
    gasPrice: toQuantity(effectivePrice(transaction, header.baseFeePerGas ?? 0n)),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  }
}

function effectivePrice(transaction: TypedTransaction, baseFee: bigint): bigint {
  if ('gasPrice' in transaction) return transaction.gasPrice
  const wanted = transaction.maxPriorityFeePerGas + baseFee
  return wanted < transaction.maxFeePerGas ? wanted : transaction.maxFeePerGas
}

function listsOf(transaction: TypedTransaction): Json {
  const json: Json = {}
  if ('chainId' in transaction && transaction.type > 0) {
    json['chainId'] = toQuantity((transaction as { chainId: bigint }).chainId)
  } else if ((transaction.v ?? 0n) >= 35n) {
    json['chainId'] = toQuantity(((transaction.v ?? 0n) - 35n) / 2n)
  }
  if ('accessList' in transaction) {
    const list = transaction.accessList as readonly (readonly [Uint8Array, readonly Uint8Array[]])[]
    json['accessList'] = list.map(([address, keys]) => ({
      address: toHex(address),
      storageKeys: keys.map(toHex),
    }))
  }
  if ('blobVersionedHashes' in transaction) {
    json['maxFeePerBlobGas'] = toQuantity(transaction.maxFeePerBlobGas)
    json['blobVersionedHashes'] = transaction.blobVersionedHashes
  }
  if ('authorizationList' in transaction) {
    const list = transaction.authorizationList as readonly (readonly Uint8Array[])[]
    json['authorizationList'] = list.map((entry) => {
      const [chainId, address, nonce, yParity, r, s] = entry.map(toHex) as Hex[]
      return {
        chainId: quantityOf(chainId),
        address,
        nonce: quantityOf(nonce),
        yParity: quantityOf(yParity),
        r: quantityOf(r),
        s: quantityOf(s),
      }
    })
  }
  return json
}

type ReceiptItems = {
  readonly outcome: Uint8Array
  readonly cumulative: bigint
  readonly bloom: Uint8Array
  readonly logs: readonly (readonly [
    address: Uint8Array,
    topics: readonly Uint8Array[],
    data: Uint8Array,
  ])[]
}

/** A decoded raw entry: post-state or status, cumulative gas, bloom, logs. Uses bytes, because blocks contain megabytes. */
function receiptItems(raw: Uint8Array): ReceiptItems {
  const list = (raw[0] ?? 0) >= 0xc0 ? raw : raw.subarray(1)
  const [outcome, cumulative, bloom, logs] = fromRlp(list, 'bytes') as unknown as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    ReceiptItems['logs'],
  ]
  return { outcome, cumulative: numberOf(toHex(cumulative)), bloom, logs }
}

/** Reply of eth_getTransactionReceipt; `index` must be in the block. */
export function receiptJson(block: StubBlock, index: number): Json {
  const { view, receipts } = block
  const { outcome, cumulative, bloom } = receiptItems(at(receipts, index))
  const before = index === 0 ? 0n : receiptItems(at(receipts, index - 1)).cumulative
  const transaction = at(view.transactions, index)
  const blobs = 'blobVersionedHashes' in transaction ? transaction.blobVersionedHashes.length : 0
  const from = transaction.getSenderAddress().toString()
  return {
    blockHash: block.hash,
    blockNumber: toQuantity(block.number),
    contractAddress:
      transaction.to === undefined
        ? getContractAddress({ from, nonce: transaction.nonce }).toLowerCase()
        : null,
    cumulativeGasUsed: toQuantity(cumulative),
    effectiveGasPrice: toQuantity(effectivePrice(transaction, view.header.baseFeePerGas ?? 0n)),
    from,
    gasUsed: toQuantity(cumulative - before),
    logs: logsJson(block, index),
    logsBloom: toHex(bloom),
    ...(outcome.length === 32 ? { root: toHex(outcome) } : { status: quantityOf(toHex(outcome)) }),
    to: transaction.to?.toString() ?? null,
    transactionHash: toHex(transaction.hash()),
    transactionIndex: toQuantity(index),
    type: toQuantity(transaction.type),
    ...(blobs === 0
      ? {}
      : {
          blobGasUsed: toQuantity(131_072 * blobs),
          blobGasPrice: toQuantity(view.header.getBlobGasPrice()),
        }),
  }
}

/** The logs of one transaction of the block. */
export function logsJson(block: StubBlock, index: number): readonly Json[] {
  let first = 0
  for (const earlier of block.receipts.slice(0, index)) first += receiptItems(earlier).logs.length
  const { logs } = receiptItems(at(block.receipts, index))
  return logs.map(([address, topics, data], position) => ({
    address: toHex(address),
    topics: topics.map(toHex),
    data: toHex(data),
    blockNumber: toQuantity(block.number),
    transactionHash: toHex(at(block.view.transactions, index).hash()),
    transactionIndex: toQuantity(index),
    blockHash: block.hash,
    blockTimestamp: toQuantity(block.view.header.timestamp),
    logIndex: toQuantity(first + position),
    removed: false,
  }))
}

function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index]
  if (value === undefined) throw new RangeError(`nothing at ${index}`)
  return value
}

function numberOf(item: string): bigint {
  return item === '0x' ? 0n : BigInt(item)
}

function quantityOf(item: string | undefined): string {
  return toQuantity(numberOf(item ?? '0x'))
}
