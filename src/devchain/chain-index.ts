// The index rows of an embedded chain: which hash stands at which number, where each transaction is, and
// which block is the head. Reads are synchronous; writes are rows that travel with a commit.
import type { Database } from '../db/sqlite.ts'
import type { RowChanges } from '../db/writer.ts'
import {
  deleteChainAbove,
  findBlockHash,
  findChainHead,
  findChainPlan,
  findTransaction,
  hasBlockHash,
  insertChainBlock,
  insertChainHead,
  insertChainTransactions,
  listBlocksAbove,
  moveChainHead,
  resetChainHead,
  saveChainPlan,
} from '../tables/chain.ts'
import { decodePlan, encodePlan } from './saved-plan.ts'
import { type ChainPlan, noChainPlan } from './block-plan.ts'

/** A transaction's hash, 32 bytes, and who signed it, 20 bytes, as the EVM recovered it. */
export type Signed = { readonly hash: Uint8Array; readonly sender: Uint8Array }

/** `hash`: 32 bytes. */
export type BlockPlace = { readonly number: bigint; readonly hash: Uint8Array }

export interface ChainIndex {
  /** The block that `latest` names, or null on a fresh database. */
  head(): BlockPlace | null
  hashOf(number: bigint): Uint8Array | null
  /** Whether a block of that hash is canonical. */
  has(hash: Uint8Array): boolean
  locate(
    transactionHash: Uint8Array,
  ): { readonly blockHash: Uint8Array; readonly index: number } | null
  /** Canonical blocks above `number`, newest first. */
  above(number: bigint): readonly BlockPlace[]
  /** Throws an Error with a sentence for the operator if it is damaged. */
  plan(): ChainPlan
}

export function openChainIndex(database: Database, network: string): ChainIndex {
  return {
    head() {
      const row = findChainHead(database, network)
      return row === null ? null : { number: BigInt(row.number), hash: row.hash }
    },
    hashOf: (number) => findBlockHash(database, network, number),
    has: (hash) => hasBlockHash(database, network, hash),
    locate(transactionHash) {
      const row = findTransaction(database, network, transactionHash)
      return row === null ? null : { blockHash: row.block_hash, index: row.position }
    },
    above: (number) =>
      listBlocksAbove(database, network, number).map((row) => ({
        number: BigInt(row.number),
        hash: row.hash,
      })),
    plan() {
      const json = findChainPlan(database, network)
      return json === null ? noChainPlan : decodePlan(json)
    },
  }
}

/** Makes `block` the first one. Fails as a whole when the network has a head already. */
export function firstBlockRows(network: string, block: BlockPlace): RowChanges {
  return [insertChainHead(network, block), insertChainBlock(network, block)]
}

/** Makes `block` the head in place of `parent`. Fails with `NothingChanged` when the head is another one. */
export function nextBlockRows(
  network: string,
  block: BlockPlace & {
    readonly parentHash: Uint8Array
    readonly transactionHashes: readonly Uint8Array[]
  },
): RowChanges {
  return [
    moveChainHead(network, block.parentHash, block),
    insertChainBlock(network, block),
    ...insertChainTransactions(network, block.hash, block.transactionHashes),
  ]
}

/** Makes an earlier block the head and forgets the rows of all above it. */
export function rewindRows(network: string, to: BlockPlace): RowChanges {
  return [...deleteChainAbove(network, to.number), resetChainHead(network, to)]
}

export function planRows(network: string, plan: ChainPlan): RowChanges {
  return [saveChainPlan(network, encodePlan(plan))]
}
