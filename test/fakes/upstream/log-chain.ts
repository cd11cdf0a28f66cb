// A short chain whose blocks contain given logs, as verifiable content, for searches over many blocks.
import { emptyUnclesHash } from '../../../src/codec/ethereum/account-state.ts'
import { encodeHeader, type Header } from '../../../src/codec/ethereum/header.ts'
import { keccak256 } from '../../../src/codec/hash/keccak.ts'
import { encodeEntries } from '../../../src/codec/ethereum/list.ts'
import { orderedRoot } from '../../../src/codec/ethereum/ordered-trie.ts'
import { encodeReceipt, type Log } from '../../../src/codec/ethereum/receipt.ts'
import type { ContentRef, UnverifiedItem } from '../../../src/content/ref.ts'
import type { ProvedHeader } from '../../../src/chain/blocks.ts'
import type { Network } from '../../../src/chain/network.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './network.ts'

/** Logs of a block, per transaction in order. */
export type BlockLogs = readonly (readonly Log[])[]

export type LogChain = {
  readonly network: Network
  readonly blocks: readonly ProvedHeader[]
  readonly items: readonly UnverifiedItem[]
  /** Requested content, in order. */
  readonly requested: ContentRef[]
}

/**
 * Block `n` contains `logs[n]`; every transaction is a different legacy entry. `change`: alters the content that the source
 * returns.
 */
export function createLogChain(
  logs: readonly BlockLogs[],
  change: (items: readonly UnverifiedItem[]) => readonly UnverifiedItem[] = (items) => items,
): LogChain {
  const items: UnverifiedItem[] = []
  const blocks: ProvedHeader[] = []
  for (const [number, ofBlock] of logs.entries()) {
    const parentHash = blocks.at(-1)?.hash ?? new Uint8Array(32)
    const logBlock = makeLogBlock(number, { parentHash, logs: ofBlock, branch: 0 })
    blocks.push(logBlock.block)
    items.push(...logBlock.items)
  }
  const requested: ContentRef[] = []
  const refs = blocks.map(({ hash, header }) => ({ network: 'dev', hash, number: header.number }))
  const network = createFakeNetwork({
    head: createFakeHead(refs),
    obtain: createFakeObtain(change(items), requested),
  })
  return { network, blocks, items, requested }
}

/** One block and its content. Blocks of different `branch` differ, whatever they contain. */
export function makeLogBlock(
  number: number,
  part: { readonly parentHash: Uint8Array; readonly logs: BlockLogs; readonly branch: number },
): { readonly block: ProvedHeader; readonly items: readonly UnverifiedItem[] } {
  const { parentHash, logs, branch } = part
  const transactions = logs.map((_, index) => Uint8Array.of(0xc2, number + 1, index + 1))
  const receipts = logs.map((ofOne, index) => receiptOf(ofOne, BigInt(index + 1)))
  const roots = {
    transactionsRoot: orderedRoot(transactions),
    receiptsRoot: orderedRoot(receipts),
    logsBloom: bloomOf(logs.flat()),
  }
  const header = headerOf(number, parentHash, roots)
  if (branch !== 0) header.mixHash.fill(branch)
  const bytes = encodeHeader(header)
  const hash = keccak256(bytes)
  const items: readonly UnverifiedItem[] = [
    { ref: { kind: 'header', hash }, bytes },
    {
      ref: { kind: 'transactions', hash: roots.transactionsRoot },
      bytes: encodeEntries(transactions),
    },
    { ref: { kind: 'receipts', hash: roots.receiptsRoot }, bytes: encodeEntries(receipts) },
  ]
  return { block: { hash, bytes, header }, items }
}

function receiptOf(logs: readonly Log[], cumulativeGasUsed: bigint): Uint8Array {
  const logsBloom = bloomOf(logs)
  return encodeReceipt({
    type: 0,
    status: true,
    postState: null,
    cumulativeGasUsed,
    logsBloom,
    logs,
  })
}

function headerOf(
  number: number,
  parentHash: Uint8Array,
  roots: Pick<Header, 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>,
): Header {
  return {
    parentHash,
    unclesHash: emptyUnclesHash,
    miner: new Uint8Array(20),
    stateRoot: new Uint8Array(32).fill(7),
    ...roots,
    difficulty: 0n,
    number: BigInt(number),
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: BigInt(number * 12),
    extraData: new Uint8Array(0),
    mixHash: new Uint8Array(32),
    nonce: new Uint8Array(8),
    baseFeePerGas: 1n,
  }
}

/** Computes the Yellow Paper's M3:2048 with big integers. */
function bloomOf(logs: readonly Log[]): Uint8Array {
  let bits = 0n
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const digest = Buffer.from(keccak256(value))
    for (const at of [0, 2, 4]) bits |= 1n << BigInt(digest.readUInt16BE(at) % 2048)
  }
  return new Uint8Array(Buffer.from(bits.toString(16).padStart(512, '0'), 'hex'))
}
