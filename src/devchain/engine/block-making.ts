// Steps of making a block with the library's builder: header fields, single transactions, a recorded change of accounts.
// Tested by src/devchain/engine/engine.test.ts, src/devchain/engine/dev-orders.test.ts
import type { Block } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import { createTxFromRLP } from '@ethereumjs/tx'
import type { TypedTransaction } from '@ethereumjs/tx'
import { Bloom, buildBlock } from '@ethereumjs/vm'
import type { BlockBuilder, RunTxResult, TxReceipt } from '@ethereumjs/vm'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader, encodeHeader } from '../../codec/ethereum/header.ts'
import { encodeEntries } from '../../codec/ethereum/list.ts'
import { orderedRoot } from '../../codec/ethereum/ordered-trie.ts'
import { emptyRlpList } from '../../codec/ethereum/rlp.ts'
import { type AccountChange, stateChange } from '../../codec/ethereum/state-change.ts'
import { encodeTransaction } from '../../codec/ethereum/transaction-encode.ts'
import { receiptEntry } from './block-commit.ts'
import { changeAccounts, receiptOfChange } from './change-accounts.ts'
import type { TrieStateVm } from './chain-vm.ts'
import { withSender } from '../../evm/unsigned-sender.ts'

/** Header fields of a block in the making. */
export type Draft = {
  readonly number: bigint
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly coinbase: Uint8Array
  readonly mixHash: Uint8Array
  /** Absent: computed from the parent. */
  readonly baseFeePerGas?: bigint
}

/** The returned builder has an open checkpoint of the state; `finish` or its `revert` closes it. */
export async function begin(
  { vm }: TrieStateVm,
  parent: Block,
  draft: Draft,
): Promise<BlockBuilder> {
  vm.common.setHardforkBy({ blockNumber: draft.number, timestamp: draft.timestamp })
  return await buildBlock(vm, {
    parentBlock: parent,
    headerData: { ...draft, parentBeaconBlockRoot: new Uint8Array(32) },
    withdrawals: [],
    blockOpts: { putBlockIntoBlockchain: false },
  })
}

/**
 * Adds a transaction while the builder's list is empty. The builder makes a block of all earlier transactions for each one, which
 * costs O(n²), and needs only their sums. `setTransactions` restores the list. Throws if the transaction cannot run.
 */
export async function addAlone(
  builder: BlockBuilder,
  transaction: TypedTransaction,
): Promise<void> {
  insideOf(builder).transactions = []
  await builder.addTransaction(withSender(transaction), { allowNoBlobs: true })
}

/** Sets all transactions of the block, in order, before `finish`. */
export function setTransactions(
  builder: BlockBuilder,
  transactions: readonly TypedTransaction[],
): void {
  insideOf(builder).transactions = [...transactions]
}

type ChangeBlock = { readonly parts: BlockParts; readonly receipts: readonly TxReceipt[] }

/** Applies the changes, and finishes a block whose only transaction records them. */
export async function finishWithChanges(
  machine: TrieStateVm,
  builder: BlockBuilder,
  changes: readonly AccountChange[],
  { common, number }: { readonly common: Common; readonly number: bigint },
): Promise<ChangeBlock> {
  await changeAccounts(machine, changes)
  const raw = encodeTransaction(stateChange(changes, { chainId: common.chainId(), nonce: number }))
  const inside = insideOf(builder)
  inside.transactions = [createTxFromRLP(raw, { common })]
  const receipt = receiptOfChange(0n)
  inside.transactionResults = [{ receipt, bloom: new Bloom(undefined, common) }]
  const parts = await finish(builder)
  // The library's encoding of a receipt without gas differs from the Yellow Paper.
  const receiptsRoot = orderedRoot([receiptEntry(receipt, raw)])
  const header = encodeHeader({ ...decodeHeader(parts.header), receiptsRoot })
  return { parts: { ...parts, header }, receipts: [receipt] }
}

export async function finish(builder: BlockBuilder): Promise<BlockParts> {
  const { block } = await builder.build()
  return {
    header: block.header.serialize(),
    transactions: encodeEntries(block.transactions.map((it) => it.serialize())),
    uncles: emptyRlpList,
    withdrawals: emptyRlpList,
  }
}

type BuilderLists = {
  transactions: TypedTransaction[]
  transactionResults: Pick<RunTxResult, 'receipt' | 'bloom'>[]
}

/** The lists are protected members; engine.test.ts fails if the library renames them. */
function insideOf(builder: BlockBuilder): BuilderLists {
  return builder as unknown as BuilderLists
}
