// Table `lease`: blocks that an account uploaded and did not pin, stored for a limited time and counted as its storage
// until then.
// Tested by src/ipfs/pins/roots.test.ts
import { greatest, query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { isRoot, type RootName, rootParameters } from './roots.ts'

/** `blocks`: number of blocks of its root. */
export type LeaseRow = { readonly id: number; readonly root: number; readonly blocks: number }

/** The account's first leases by ID, at most `limit`. */
export function listLeases(accountId: string, limit: number): Query<LeaseRow> {
  return query(
    `SELECT lease.id AS id, lease.root AS root, root.blocks AS blocks FROM lease
        CROSS JOIN root ON root.id = lease.root
        WHERE lease.account_id = ? ORDER BY lease.id LIMIT ${limit}`,
    [accountId],
  )
}

/**
 * Leases the root, which must exist, until `expires`, or longer if it is leased already. `wanted`: bytes of the CID of the
 * incomplete pin that this lease is a part of, or null.
 */
export function upsertLease(
  accountId: string,
  name: RootName,
  { expires, wanted }: { readonly expires: number; readonly wanted: Uint8Array | null },
): Statement {
  return {
    sql: `INSERT INTO lease (account_id, root, expires, wanted)
        SELECT ?, root.id, ?, ? FROM root WHERE ${isRoot}
        ON CONFLICT (account_id, root) DO UPDATE SET expires = ${greatest('lease.expires', 'excluded.expires')}`,
    parameters: [accountId, expires, wanted, ...rootParameters(name)],
  }
}

/** Ends the account's lease of one root, whatever its expiry. */
export function deleteLease(accountId: string, name: RootName): Statement {
  return {
    sql: `DELETE FROM lease WHERE account_id = ? AND root IN (SELECT id FROM root WHERE ${isRoot})`,
    parameters: [accountId, ...rootParameters(name)],
  }
}

/** Ends the lease with this ID. */
export function deleteLeaseById(id: number): Statement {
  return { sql: 'DELETE FROM lease WHERE id = ?', parameters: [id] }
}

/** Ends every lease of the account whose root contains the block. */
export function deleteLeasesOver(accountId: string, multihash: Uint8Array): Statement {
  return {
    sql: `DELETE FROM lease WHERE account_id = ? AND EXISTS (SELECT 1 FROM closure JOIN block
      ON block.id = closure.block WHERE closure.root = lease.root AND block.hash = ?)`,
    parameters: [accountId, multihash],
  }
}

/** Ends the leases of blocks that incomplete pins of this CID fetched. */
export function deleteAttemptLeases(accountId: string, cid: Uint8Array): Statement {
  return {
    sql: 'DELETE FROM lease WHERE account_id = ? AND wanted = ?',
    parameters: [accountId, cid],
  }
}

/** Ends at most `limit` expired leases. */
export function deleteExpiredLeases(now: number, limit: number): Statement {
  return {
    sql: `DELETE FROM lease WHERE id IN
      (SELECT id FROM lease WHERE expires <= ? ORDER BY expires LIMIT ?)`,
    parameters: [now, limit],
  }
}
