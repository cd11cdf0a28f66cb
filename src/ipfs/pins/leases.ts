// Leases: blocks that an account uploaded and did not pin, stored for a limited time and counted as its storage until then.
// Tested by src/ipfs/pins/roots.test.ts
import type { CID } from 'multiformats/cid'
import type { Statement } from '../../db/writer.ts'
import { upsertLease } from '../../tables/leases.ts'
import { insertRoot, type StagedTree, type RootName } from '../../tables/roots.ts'

/**
 * Leases the root for the account until `expires`, or longer if it is leased already. `wanted`: the CID of the incomplete pin that
 * this lease is a part of; the lease ends when that CID is pinned.
 */
export function leaseStatements(
  accountId: string,
  name: RootName,
  put: StagedTree,
  { expires, wanted = null }: { readonly expires: number; readonly wanted?: CID | null },
): readonly Statement[] {
  const lease = upsertLease(accountId, name, { expires, wanted: wanted?.bytes ?? null })
  return [...insertRoot(name, put), lease]
}
