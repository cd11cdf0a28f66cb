// Tables `chain_head`, `chain_block`, `chain_transaction`, `chain_plan` and `chain_fork`: the head of each embedded chain, the
// block hash at each number, the block and position of each transaction, the plan for creating its next blocks, and the block of
// another network from which it was forked.
// Tested by src/devchain/chain-head.test.ts
import type { Database } from '../db/sqlite.ts'
import type { Statement } from '../db/writer.ts'

/** `hash`: 32 bytes. */
export type ChainPlace = { readonly number: bigint; readonly hash: Uint8Array }

export function findChainHead(
  db: Database,
  network: string,
): { readonly number: number; readonly hash: Uint8Array } | null {
  return db.get<{ number: number; hash: Uint8Array }>(
    'SELECT number, hash FROM chain_head WHERE network = ?',
    [network],
  )
}

/** Name of any embedded chain in the database; null: none. */
export function findAnyChain(db: Database): string | null {
  return db.getValue('SELECT network FROM chain_head LIMIT 1')
}

export function findBlockHash(db: Database, network: string, number: bigint): Uint8Array | null {
  const row = db.get<{ hash: Uint8Array }>(
    'SELECT hash FROM chain_block WHERE network = ? AND number = ?',
    [network, number],
  )
  return row?.hash ?? null
}

export function hasBlockHash(db: Database, network: string, hash: Uint8Array): boolean {
  const sql = 'SELECT 1 FROM chain_block WHERE network = ? AND hash = ?'
  return db.getValue(sql, [network, hash]) !== null
}

export function findTransaction(
  db: Database,
  network: string,
  hash: Uint8Array,
): { readonly block_hash: Uint8Array; readonly position: number } | null {
  return db.get<{ block_hash: Uint8Array; position: number }>(
    'SELECT block_hash, position FROM chain_transaction WHERE network = ? AND hash = ?',
    [network, hash],
  )
}

/** Blocks above `number`, newest first. */
export function listBlocksAbove(
  db: Database,
  network: string,
  number: bigint,
): readonly { readonly number: number; readonly hash: Uint8Array }[] {
  return db.all<{ number: number; hash: Uint8Array }>(
    'SELECT number, hash FROM chain_block WHERE network = ? AND number > ? ORDER BY number DESC',
    [network, number],
  )
}

/** JSON of devchain/saved-plan.ts; null: none is stored. */
export function findChainPlan(db: Database, network: string): string | null {
  return (
    db.get<{ plan: string }>('SELECT plan FROM chain_plan WHERE network = ?', [network])?.plan ??
    null
  )
}

export function saveChainPlan(network: string, plan: string): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO chain_plan (network, plan) VALUES (?, ?)',
    parameters: [network, plan],
  }
}

/** `asked`: the block as specified in the settings. `hash`, `state_root`: 32 bytes. */
export type ChainForkRow = {
  readonly source: string
  readonly asked: string
  readonly number: number
  readonly hash: Uint8Array
  readonly state_root: Uint8Array
}

/** Null: the chain begins with a genesis block, or there is no chain. */
export function findChainFork(db: Database, network: string): ChainForkRow | null {
  return db.get<ChainForkRow>(
    'SELECT source, asked, number, hash, state_root FROM chain_fork WHERE network = ?',
    [network],
  )
}

/** Fails if the network already has a fork. */
export function insertChainFork(
  network: string,
  fork: ChainPlace & {
    readonly source: string
    readonly asked: string
    readonly stateRoot: Uint8Array
  },
): Statement {
  const { source, asked, number, hash, stateRoot } = fork
  return {
    sql: 'INSERT INTO chain_fork (network, source, asked, number, hash, state_root) VALUES (?, ?, ?, ?, ?, ?)',
    parameters: [network, source, asked, number, hash, stateRoot],
  }
}

/** Fails if the network already has a head. */
export function insertChainHead(network: string, { number, hash }: ChainPlace): Statement {
  return {
    sql: 'INSERT INTO chain_head (network, number, hash) VALUES (?, ?, ?)',
    parameters: [network, number, hash],
  }
}

/** Fails with `NothingChanged` if the head is not `from`. */
export function moveChainHead(
  network: string,
  from: Uint8Array,
  { number, hash }: ChainPlace,
): Statement {
  return {
    sql: 'UPDATE chain_head SET number = ?, hash = ? WHERE network = ? AND hash = ?',
    parameters: [number, hash, network, from],
    require: 'change',
  }
}

/** Sets the head, whatever it was. */
export function resetChainHead(network: string, { number, hash }: ChainPlace): Statement {
  return {
    sql: 'UPDATE chain_head SET number = ?, hash = ? WHERE network = ?',
    parameters: [number, hash, network],
    require: 'change',
  }
}

export function insertChainBlock(network: string, { number, hash }: ChainPlace): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO chain_block (network, number, hash) VALUES (?, ?, ?)',
    parameters: [network, number, hash],
  }
}

export function insertChainTransactions(
  network: string,
  blockHash: Uint8Array,
  hashes: readonly Uint8Array[],
): readonly Statement[] {
  return hashes.map((hash, position) => ({
    sql: 'INSERT OR REPLACE INTO chain_transaction (network, hash, block_hash, position) VALUES (?, ?, ?, ?)',
    parameters: [network, hash, blockHash, position],
  }))
}

/** Deletes the blocks above `number`, and their transactions. */
export function deleteChainAbove(network: string, number: bigint): readonly Statement[] {
  return [
    {
      sql: `DELETE FROM chain_transaction WHERE network = ? AND block_hash IN
        (SELECT hash FROM chain_block WHERE network = ? AND number > ?)`,
      parameters: [network, network, number],
    },
    {
      sql: 'DELETE FROM chain_block WHERE network = ? AND number > ?',
      parameters: [network, number],
    },
  ]
}
