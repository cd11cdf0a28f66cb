// Enforces the storage quota of accounts: a trigger checks it in the transaction that stores a pin or lease, so no
// writer can omit it. Part of a migration: never changed after its release.
// Tested by src/ipfs/pins/storage-quota.test.ts
import { Fault } from '../base/fault.ts'
import type { Statement } from './writer.ts'

const raised = 'storage quota reached'

/** An account over its quota can still do anything that adds no storage. */
export const storageQuota: readonly string[] = [
  // Accounts exempt from the check; rows exist within one transaction only.
  `CREATE TABLE storage_unjudged (account_id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TRIGGER storage_quota AFTER UPDATE OF bytes ON account_storage WHEN NEW.bytes > OLD.bytes
    AND NEW.bytes > (SELECT json_extract(settings, '$.filesStoredBytes') FROM account WHERE id = NEW.account_id)
    AND NOT EXISTS (SELECT 1 FROM storage_unjudged WHERE account_id = NEW.account_id)
    BEGIN SELECT RAISE(ABORT, '${raised}'); END`,
]

/** `rows` without the quota check: for content stored earlier that was not counted yet. */
export function unjudged(accountId: string, rows: readonly Statement[]): readonly Statement[] {
  const parameters = [accountId]
  return [
    { sql: 'INSERT INTO storage_unjudged (account_id) VALUES (?)', parameters },
    ...rows,
    { sql: 'DELETE FROM storage_unjudged WHERE account_id = ?', parameters },
  ]
}

/** `over_quota` for the trigger's error, any other error unchanged. */
export function storageFault(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== raised) return error
  return new Fault('over_quota', {
    detail: 'not allowed - storage quota reached',
    data: { reason: 'storage' },
    cause: error,
  })
}
