// The index rows of an embedded chain: canonical block hashes by number, the place of each transaction, and the head block.
// Reads are synchronous; writes are rows that are part of a commit of blocks.
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
export type SignedTransaction = { readonly hash: Uint8Array; readonly sender: Uint8Array }

/** `hash`: 32 bytes. */
export type BlockId = { readonly number: bigint; readonly hash: Uint8Array }

export interface ChainIndex {
  /** The block of the tag `latest`; null on a fresh database. */
  head(): BlockId | null
  hashOf(number: bigint): Uint8Array | null
  /** True if a block with that hash is canonical. */
  has(hash: Uint8Array): boolean
  locate(
    transactionHash: Uint8Array,
  ): { readonly blockHash: Uint8Array; readonly index: number } | null
  /** Canonical blocks above `number`, newest first. */
  above(number: bigint): readonly BlockId[]
  /** Throws an Error with a message for the operator if the row is damaged. */
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

/** Makes `block` the first one. Fails as a whole if the network already has a head. */
export function firstBlockRows(network: string, block: BlockId): RowChanges {
  return [insertChainHead(network, block), insertChainBlock(network, block)]
}

/** Makes `block` the head in place of `parent`. Fails with `NothingChanged` if the head is not `parent`. */
export function nextBlockRows(
  network: string,
  block: BlockId & {
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

/** Makes an earlier block the head and deletes the rows of all blocks above it. */
export function rewindRows(network: string, to: BlockId): RowChanges {
  return [...deleteChainAbove(network, to.number), resetChainHead(network, to)]
}

export function planRows(network: string, plan: ChainPlan): RowChanges {
  return [saveChainPlan(network, encodePlan(plan))]
}
