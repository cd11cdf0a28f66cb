// Maintains the storage of accounts exactly: triggers on the rows that reference roots, so no writer of a pin or lease can miss
// it; and enforces the storage quota in the transaction that stores a pin or lease.
// Tested by src/db/migrate.test.ts
import { Fault } from '../base/fault.ts'
import type { Statement } from './writer.ts'

/** The text that the triggers raise. */
export const quotaReached = 'storage quota reached'

/** An account over its quota can still do anything that adds no storage. */
export const storageQuota: readonly string[] = [
  // Accounts exempt from the check; rows exist within one transaction only.
  `CREATE TABLE storage_unjudged (account_id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TRIGGER storage_quota AFTER UPDATE OF bytes ON account_storage WHEN NEW.bytes > OLD.bytes
    AND NEW.bytes > (SELECT json_extract(settings, '$.filesStoredBytes') FROM account WHERE id = NEW.account_id)
    AND NOT EXISTS (SELECT 1 FROM storage_unjudged WHERE account_id = NEW.account_id)
    BEGIN SELECT RAISE(ABORT, '${quotaReached}'); END`,
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
  if (!(error instanceof Error) || error.message !== quotaReached) return error
  return new Fault('over_quota', {
    detail: 'not allowed - storage quota reached',
    data: { reason: 'storage' },
    cause: error,
  })
}

/** Up to this many blocks a root is given back in the transaction that lets it go, past it in steps later. */
export const blocksAtOnce = 1000

/** One more, or one less, claim of an account on a root. */
const claim = (row: string): string => `
  INSERT INTO account_storage (account_id) VALUES (${row}.account_id) ON CONFLICT (account_id) DO NOTHING;
  INSERT INTO holding (storage, root, claims)
    SELECT id, ${row}.root, 1 FROM account_storage WHERE account_id = ${row}.account_id
    ON CONFLICT (storage, root) DO UPDATE SET claims = claims + 1;`
const release = (row: string): string => `
  UPDATE holding SET claims = claims - 1 WHERE root = ${row}.root
    AND storage = (SELECT id FROM account_storage WHERE account_id = ${row}.account_id);
  DELETE FROM holding WHERE root = ${row}.root AND claims = 0
    AND storage = (SELECT id FROM account_storage WHERE account_id = ${row}.account_id);`

/**
 * Removes the blocks of a closure with IDs above `after` and up to `last` from an account, except those that another of
 * its roots contains. All four are SQL expressions.
 */
export function giveBack(of: {
  readonly storage: string
  readonly root: string
  readonly after: string
  readonly last: string
}): readonly string[] {
  const { storage, root, after, last } = of
  const blocks = `SELECT block FROM closure WHERE root = ${root} AND block > ${after} AND block <= ${last}`
  return [
    `UPDATE account_storage SET (blocks, bytes) = (
       SELECT account_storage.blocks - count(*), account_storage.bytes - coalesce(sum(charge.size), 0)
         FROM closure CROSS JOIN charge ON charge.block = closure.block AND charge.storage = ${storage}
         WHERE closure.root = ${root} AND closure.block > ${after} AND closure.block <= ${last}
           AND charge.roots = 1)
     WHERE id = ${storage}`,
    `DELETE FROM charge WHERE storage = ${storage} AND roots = 1 AND block IN (${blocks})`,
    `UPDATE charge SET roots = roots - 1 WHERE storage = ${storage} AND block IN (${blocks})`,
  ]
}

/** One reference less; an unreferenced root loses its name and its charges are removed later. */
export function letGo(root: string): string {
  return `UPDATE root SET holders = holders - 1, hash = CASE holders WHEN 1 THEN NULL ELSE hash END
    WHERE id = ${root}`
}

const claimed = (table: string): readonly string[] => [
  `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} WHEN NEW.root IS NOT NULL
    BEGIN ${claim('NEW')} END`,
  // The new root first: blocks in both stay charged all the time.
  `CREATE TRIGGER ${table}_moved AFTER UPDATE OF root ON ${table}
    WHEN NEW.root IS NOT NULL AND NEW.root IS NOT OLD.root
    BEGIN ${claim('NEW')} ${release('OLD')} END`,
  `CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} WHEN OLD.root IS NOT NULL
    BEGIN ${release('OLD')} END`,
]

export const storageTriggers: readonly string[] = [
  ...claimed('pin'),
  ...claimed('lease'),
  `CREATE TRIGGER holding_added AFTER INSERT ON holding BEGIN
    INSERT INTO charge (block, storage, roots, size)
      SELECT closure.block, NEW.storage, 1, block.size
        FROM closure CROSS JOIN block ON block.id = closure.block WHERE closure.root = NEW.root
      ON CONFLICT (block, storage) DO UPDATE SET roots = roots + 1;
    UPDATE account_storage SET (blocks, bytes) = (
      SELECT account_storage.blocks + count(*), account_storage.bytes + coalesce(sum(charge.size), 0)
        FROM closure CROSS JOIN charge ON charge.block = closure.block AND charge.storage = NEW.storage
        WHERE closure.root = NEW.root AND charge.roots = 1)
      WHERE id = NEW.storage;
    UPDATE root SET holders = holders + 1 WHERE id = NEW.root;
  END`,
  `CREATE TRIGGER holding_removed AFTER DELETE ON holding
    WHEN (SELECT blocks FROM root WHERE id = OLD.root) <= ${blocksAtOnce} BEGIN
    ${giveBack({ storage: 'OLD.storage', root: 'OLD.root', after: '-1', last: '9223372036854775807' }).join(';\n')};
    ${letGo('OLD.root')};
  END`,
  `CREATE TRIGGER large_holding_removed AFTER DELETE ON holding
    WHEN (SELECT blocks FROM root WHERE id = OLD.root) > ${blocksAtOnce} BEGIN
    INSERT INTO releasing (storage, root, after) VALUES (OLD.storage, OLD.root, -1);
  END`,
]
