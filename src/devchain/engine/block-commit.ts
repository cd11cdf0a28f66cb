// Converts an executed block into the items and rows of its single commit. Before the commit, it recomputes each root with our
// own codec and compares it with the EVM's.
import { equalBytes, toHex } from '../../base/hex.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../../codec/ethereum/account-state.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { decodeEntries, encodeEntries } from '../../codec/ethereum/list.ts'
import { orderedRoot } from '../../codec/ethereum/ordered-trie.ts'
import { encodeReceipt } from '../../codec/ethereum/receipt.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { RowChanges } from '../../db/writer.ts'
import type { TxReceipt } from '@ethereumjs/vm'
import { nextBlockRows } from '../chain-index.ts'
import type { BlockId } from '../chain-index.ts'

export type BlockCommit = {
  readonly block: BlockId
  readonly header: Header
  readonly items: readonly UnverifiedItem[]
  readonly rows: RowChanges
}

/** A block whose content does not match its header; `message` names the root. */
export class BadBlock extends Error {
  override readonly name = 'BadBlock'
}

/** `stateItems`: content that the block's state root references and the BlockStore lacks. Throws `BadBlock`. */
export function commitOf(
  network: string,
  parts: BlockParts,
  receipts: readonly TxReceipt[],
  stateItems: readonly UnverifiedItem[],
): BlockCommit {
  const header = decodeHeader(parts.header)
  const hash = keccak256(parts.header)
  const transactions = decodeEntries(parts.transactions)
  const receiptEntries = receipts.map((receipt, index) =>
    receiptEntry(receipt, transactions[index]),
  )
  expectRoot('transactions', header.number, header.transactionsRoot, orderedRoot(transactions))
  expectRoot('receipts', header.number, header.receiptsRoot, orderedRoot(receiptEntries))
  const items: UnverifiedItem[] = [...stateItems]
  if (transactions.length > 0) {
    items.push(list('transactions', header.transactionsRoot, parts.transactions))
    items.push(list('receipts', header.receiptsRoot, encodeEntries(receiptEntries)))
  }
  items.push(...unclesItem(header, parts.uncles), ...withdrawalsItem(header, parts.withdrawals))
  items.push({ ref: { kind: 'header', hash }, bytes: parts.header })
  const block = { number: header.number, hash }
  const transactionHashes = transactions.map(keccak256)
  const rows = nextBlockRows(network, {
    ...block,
    parentHash: header.parentHash,
    transactionHashes,
  })
  return { block, header, items, rows }
}

function unclesItem(header: Header, uncles: Uint8Array): UnverifiedItem[] {
  expectRoot('uncles', header.number, header.unclesHash, keccak256(uncles))
  if (equalBytes(header.unclesHash, emptyUnclesHash)) return []
  return [list('uncles', header.unclesHash, uncles)]
}

function withdrawalsItem(header: Header, withdrawals: Uint8Array | null): UnverifiedItem[] {
  const root = header.withdrawalsRoot
  if (root === undefined || withdrawals === null) return []
  expectRoot('withdrawals', header.number, root, orderedRoot(decodeEntries(withdrawals)))
  return equalBytes(root, emptyTrieRoot) ? [] : [list('withdrawals', root, withdrawals)]
}

/** The receipt as encoded in the block's receipts trie. `transaction`: the raw entry. */
export function receiptEntry(receipt: TxReceipt, transaction: Uint8Array | undefined): Uint8Array {
  const first = transaction?.[0]
  if (first === undefined) throw new BadBlock('a receipt without a transaction')
  return encodeReceipt({
    type: first >= 0xc0 ? 0 : first,
    status: 'status' in receipt ? receipt.status === 1 : null,
    postState: 'stateRoot' in receipt ? receipt.stateRoot : null,
    cumulativeGasUsed: receipt.cumulativeBlockGasUsed,
    logsBloom: receipt.bitvector,
    logs: receipt.logs.map(([address, topics, data]) => ({ address, topics, data })),
  })
}

function list(
  kind: UnverifiedItem['ref']['kind'],
  hash: Uint8Array,
  bytes: Uint8Array,
): UnverifiedItem {
  return { ref: { kind, hash }, bytes }
}

function expectRoot(name: string, number: bigint, expected: Uint8Array, actual: Uint8Array): void {
  if (equalBytes(expected, actual)) return
  throw new BadBlock(
    `block ${number}: its ${name} result in ${toHex(actual)}, its header has ${toHex(expected)}`,
  )
}
