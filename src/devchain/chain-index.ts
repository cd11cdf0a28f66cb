// The index rows of an embedded chain: which hash stands at which number, where each transaction is, and
// which block is the head. Reads are synchronous; writes are Statements that travel with a commit.
import type { Database } from '../db/sqlite.ts'
import type { Statement } from '../db/writer.ts'

/** `hash`: 32 bytes. */
/** A transaction's hash, 32 bytes, and who signed it, 20 bytes, as the EVM recovered it. */
export type Signed = { readonly hash: Uint8Array; readonly sender: Uint8Array }

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
}

export function openChainIndex(database: Database, network: string): ChainIndex {
  return {
    head() {
      const row = database.get<{ number: number; hash: Uint8Array }>(
        'SELECT number, hash FROM chain_head WHERE network = ?',
        [network],
      )
      return row === null ? null : { number: BigInt(row.number), hash: row.hash }
    },
    hashOf(number) {
      const row = database.get<{ hash: Uint8Array }>(
        'SELECT hash FROM chain_block WHERE network = ? AND number = ?',
        [network, number],
      )
      return row?.hash ?? null
    },
    has(hash) {
      const sql = 'SELECT 1 FROM chain_block WHERE network = ? AND hash = ?'
      return database.getValue(sql, [network, hash]) !== null
    },
    locate(transactionHash) {
      const row = database.get<{ block_hash: Uint8Array; position: number }>(
        'SELECT block_hash, position FROM chain_transaction WHERE network = ? AND hash = ?',
        [network, transactionHash],
      )
      return row === null ? null : { blockHash: row.block_hash, index: row.position }
    },
  }
}

/** Makes `block` the first one. Fails as a whole when the network has a head already. */
export function firstBlockRows(network: string, block: BlockPlace): Statement[] {
  return [
    {
      sql: 'INSERT INTO chain_head (network, number, hash) VALUES (?, ?, ?)',
      parameters: [network, block.number, block.hash],
    },
    blockRow(network, block),
  ]
}

/** Makes `block` the head in place of `parent`. Fails with `NothingChanged` when the head is another one. */
export function nextBlockRows(
  network: string,
  block: BlockPlace & {
    readonly parentHash: Uint8Array
    readonly transactionHashes: readonly Uint8Array[]
  },
): Statement[] {
  return [
    {
      sql: 'UPDATE chain_head SET number = ?, hash = ? WHERE network = ? AND hash = ?',
      parameters: [block.number, block.hash, network, block.parentHash],
      require: 'change',
    },
    blockRow(network, block),
    ...block.transactionHashes.map((hash, position) => ({
      sql: 'INSERT OR REPLACE INTO chain_transaction (network, hash, block_hash, position) VALUES (?, ?, ?, ?)',
      parameters: [network, hash, block.hash, position],
    })),
  ]
}

/** Makes an earlier block the head and forgets the rows of all above it. */
export function rewindRows(network: string, to: BlockPlace): Statement[] {
  return [
    {
      sql: `DELETE FROM chain_transaction WHERE network = ? AND block_hash IN
        (SELECT hash FROM chain_block WHERE network = ? AND number > ?)`,
      parameters: [network, network, to.number],
    },
    {
      sql: 'DELETE FROM chain_block WHERE network = ? AND number > ?',
      parameters: [network, to.number],
    },
    {
      sql: 'UPDATE chain_head SET number = ?, hash = ? WHERE network = ?',
      parameters: [to.number, to.hash, network],
      require: 'change',
    },
  ]
}

function blockRow(network: string, { number, hash }: BlockPlace): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO chain_block (network, number, hash) VALUES (?, ?, ?)',
    parameters: [network, number, hash],
  }
}
