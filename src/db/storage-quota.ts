// What keeps an account from storing more than it may: a trigger judges in the transaction that would store it, so
// whoever writes a pin or a lease can not forget it. Part of a migration: never changed once it was released.
// Tested by src/ipfs/pins/storage-quota.test.ts
import { Fault } from '../base/fault.ts'
import type { Statement } from './writer.ts'

const raised = 'storage quota reached'

/** Who has more than it may already can still do whatever does not make it more. */
export const storageQuota: readonly string[] = [
  // Accounts that are not judged; rows stand in it within one transaction only.
  `CREATE TABLE storage_unjudged (account_id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TRIGGER storage_quota AFTER UPDATE OF bytes ON account_storage WHEN NEW.bytes > OLD.bytes
    AND NEW.bytes > (SELECT json_extract(settings, '$.filesStoredBytes') FROM account WHERE id = NEW.account_id)
    AND NOT EXISTS (SELECT 1 FROM storage_unjudged WHERE account_id = NEW.account_id)
    BEGIN SELECT RAISE(ABORT, '${raised}'); END`,
]

/** `rows`, whatever the account may keep: for what it has kept all the time and nobody has counted yet. */
export function unjudged(accountId: string, rows: readonly Statement[]): readonly Statement[] {
  const parameters = [accountId]
  return [
    { sql: 'INSERT INTO storage_unjudged (account_id) VALUES (?)', parameters },
    ...rows,
    { sql: 'DELETE FROM storage_unjudged WHERE account_id = ?', parameters },
  ]
}

/** `over_quota` for what the trigger raised, anything else as it is. */
export function storageFault(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== raised) return error
  return new Fault('over_quota', {
    detail: 'not allowed - storage quota reached',
    data: { reason: 'storage' },
    cause: error,
  })
}
