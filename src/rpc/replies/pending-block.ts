// The pending block, as the pool would produce it now: executed, but it has no proof and may never exist.
// Tested by test/api/pool-started.test.ts
import { executorOf } from '../../chain/network.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { toHex } from '../../base/hex.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import { renderBlock, renderHeader } from '../../chain/block-object.ts'
import { fetched, type Read } from '../../chain/read.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { renderTransaction } from '../../chain/transaction-object.ts'
import { readTransaction } from '../../chain/transactions.ts'
import type { BlockParameter, ReadCall } from '../operation.ts'

const pending: BlockParameter = { tag: 'pending' }

export function isPending(block: BlockParameter): boolean {
  return 'tag' in block && block.tag === 'pending'
}

/** The parts of the pending block. Label `trusted`; the block in the labels is its parent. */
function* readPendingBlock(call: ReadCall): Read<BlockParts> {
  yield* call.resolve(pending)
  const executor = executorOf(call.network, 'eth_getBlockByNumber')
  const parts = yield* fetched((signal) => executor.pendingBlock(signal, call.caller))
  call.labels.level('trusted')
  return parts
}

/** Its transactions as pending ones, because no block contains them yet. */
export function* readPendingTransactions(call: ReadCall): Read<readonly Uint8Array[]> {
  const { transactions } = yield* readPendingBlock(call)
  return decodeEntries(transactions)
}

/** The JSON object: hash, nonce and miner are null, as in geth. */
export function* pendingBlockReply(
  call: ReadCall,
  full: boolean,
  findSender: FindSender,
): Read<unknown> {
  const { header: bytes, transactions, uncles, withdrawals } = yield* readPendingBlock(call)
  const header = decodeHeader(bytes)
  const shown = decodeEntries(transactions).map((raw) =>
    full ? renderTransaction(readTransaction(raw, findSender), null) : toHex(transactionHash(raw)),
  )
  const lists = { transactions, uncles, withdrawals }
  const block = renderBlock({ hash: keccak256(bytes), bytes, header }, lists, shown)
  return { ...block, hash: null, nonce: null, miner: null }
}

/** Its header as eth_getHeaderByNumber returns it, with the same three nulls. */
export function* pendingHeaderReply(call: ReadCall): Read<unknown> {
  const { header: bytes } = yield* readPendingBlock(call)
  const header = renderHeader({ hash: keccak256(bytes), bytes, header: decodeHeader(bytes) })
  return { ...header, hash: null, nonce: null, miner: null }
}
