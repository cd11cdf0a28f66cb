// Leases: blocks that an account brought and did not pin, kept for a while and counted as its storage until then.
// Tested by src/ipfs/pins/roots.test.ts
import type { CID } from 'multiformats/cid'
import type { Statement } from '../../db/writer.ts'
import { isRoot, type Put, type RootName, rootParameters, rootStatements } from './roots.ts'

/**
 * Keeps the root for the account until `expires`, or longer when it is leased already. `wanted`: the CID whose pin
 * this is a part of; it ends when that is pinned.
 */
export function leaseStatements(
  accountId: string,
  name: RootName,
  put: Put,
  { expires, wanted = null }: { readonly expires: number; readonly wanted?: CID | null },
): readonly Statement[] {
  return [
    ...rootStatements(name, put),
    {
      sql: `INSERT INTO lease (account_id, root, expires, wanted)
        SELECT ?, root.id, ?, ? FROM root WHERE ${isRoot}
        ON CONFLICT (account_id, root) DO UPDATE SET expires = max(expires, excluded.expires)`,
      parameters: [accountId, expires, wanted?.bytes ?? null, ...rootParameters(name)],
    },
  ]
}

/** Ends the account's lease of one root, whatever its time. */
export function endLease(accountId: string, name: RootName): Statement {
  return {
    sql: `DELETE FROM lease WHERE account_id = ? AND root IN (SELECT id FROM root WHERE ${isRoot})`,
    parameters: [accountId, ...rootParameters(name)],
  }
}

/** Ends the lease with this id in the table `lease`. */
export function endLeaseById(id: number): Statement {
  return { sql: 'DELETE FROM lease WHERE id = ?', parameters: [id] }
}

/** Ends every lease of the account that keeps the block. */
export function endLeasesOver(accountId: string, multihash: Uint8Array): Statement {
  return {
    sql: `DELETE FROM lease WHERE account_id = ? AND EXISTS (SELECT 1 FROM closure JOIN block
      ON block.id = closure.block WHERE closure.root = lease.root AND block.hash = ?)`,
    parameters: [accountId, multihash],
  }
}

/** Ends the leases of what was fetched in vain for a pin of `cid`. */
export function endAttempts(accountId: string, cid: CID): Statement {
  return {
    sql: 'DELETE FROM lease WHERE account_id = ? AND wanted = ?',
    parameters: [accountId, cid.bytes],
  }
}

/** Ends at most `most` of the leases whose time is over. */
export function endExpired(now: number, most: number): Statement {
  return {
    sql: `DELETE FROM lease WHERE id IN
      (SELECT id FROM lease WHERE expires <= ? ORDER BY expires LIMIT ?)`,
    parameters: [now, most],
  }
}
