// Maintains the exact storage of accounts with triggers on the rows that reference roots, so that no writer of a pin or lease can
// miss it; and enforces the storage quota in the transaction that stores a pin, a lease or a pin request.
// Tested by src/db/migrate.test.ts, src/db/postgres/storage-functions.test.ts, src/ipfs/pins/storage-quota.test.ts
import { Fault } from '../base/fault.ts'
import type { Statement } from './writer.ts'

/** The error text that the triggers raise. */
export const quotaReached = 'storage quota reached'

/** An account over its quota can still make changes that add no storage. */
export const storageQuota: readonly string[] = [
  // Accounts exempt from the check; rows exist within one transaction only.
  `CREATE TABLE storage_unjudged (account_id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TRIGGER storage_quota AFTER UPDATE OF bytes ON account_storage WHEN NEW.bytes > OLD.bytes
    AND NEW.bytes > (SELECT json_extract(settings, '$.filesStoredBytes') FROM account WHERE id = NEW.account_id)
    AND NOT EXISTS (SELECT 1 FROM storage_unjudged WHERE account_id = NEW.account_id)
    BEGIN SELECT RAISE(ABORT, '${quotaReached}'); END`,
]

/** `rows` without the quota check: for content that was stored earlier and is not counted yet. */
export function unjudged(accountId: string, rows: readonly Statement[]): readonly Statement[] {
  const parameters = [accountId]
  return [
    { sql: 'INSERT INTO storage_unjudged (account_id) VALUES (?)', parameters },
    ...rows,
    { sql: 'DELETE FROM storage_unjudged WHERE account_id = ?', parameters },
  ]
}

/** Converts the trigger's error to `over_quota`; other errors are unchanged. */
export function storageFault(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== quotaReached) return error
  return new Fault('over_quota', {
    detail: 'not allowed - storage quota reached',
    data: { reason: 'storage' },
    cause: error,
  })
}

/**
 * Roots with up to this many blocks are released in the transaction that removes the last reference; larger ones later, in steps.
 */
export const blocksAtOnce = 1000

/** Adds or removes one claim of an account on a root. */
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
export function releaseBlocksSql(of: {
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

/** Removes one reference; an unreferenced root loses its name, and its charges are removed later. */
export function releaseReferenceSql(root: string): string {
  return `UPDATE root SET holders = holders - 1, hash = CASE holders WHEN 1 THEN NULL ELSE hash END
    WHERE id = ${root}`
}

const claimed = (table: string): readonly string[] => [
  `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} WHEN NEW.root IS NOT NULL
    BEGIN ${claim('NEW')} END`,
  // The new root first, so that blocks in both remain charged.
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
    ${releaseBlocksSql({ storage: 'OLD.storage', root: 'OLD.root', after: '-1', last: '9223372036854775807' }).join(';\n')};
    ${releaseReferenceSql('OLD.root')};
  END`,
  `CREATE TRIGGER large_holding_removed AFTER DELETE ON holding
    WHEN (SELECT blocks FROM root WHERE id = OLD.root) > ${blocksAtOnce} BEGIN
    INSERT INTO releasing (storage, root, after) VALUES (OLD.storage, OLD.root, -1);
  END`,
]

/**
 * Other data of an account counts too: for a root whose multihash is identity, the multihash, because it contains the block; for a
 * pin request, the texts of its row.
 */
export const requestSize = (row: string): string =>
  `(octet_length(${row}.cid) + octet_length(${row}.name) + coalesce(octet_length(${row}.meta), 0)
    + coalesce(octet_length(${row}.origins), 0))`

const inlineSize = (row: string): string =>
  `(SELECT length(hash) FROM root WHERE id = ${row}.root AND hash >= x'00' AND hash < x'01')`

/** Adds both to accounts with such data, which may exceed their quota. For both engines. */
export const countUncounted = (identity: string): readonly string[] => [
  `INSERT INTO account_storage (account_id) SELECT DISTINCT account_id FROM pin_request
     WHERE account_id IN (SELECT id FROM account)
     ON CONFLICT (account_id) DO NOTHING`,
  `INSERT INTO storage_unjudged (account_id) SELECT account_id FROM account_storage`,
  `UPDATE account_storage SET bytes = account_storage.bytes + added.size
     FROM (SELECT account_id, sum(${requestSize('pin_request')}) AS size FROM pin_request GROUP BY account_id) AS added
     WHERE added.account_id = account_storage.account_id`,
  `UPDATE account_storage SET bytes = account_storage.bytes + added.size
     FROM (SELECT holding.storage AS id, sum(length(root.hash)) AS size
       FROM root JOIN holding ON holding.root = root.id WHERE ${identity} GROUP BY holding.storage) AS added
     WHERE added.id = account_storage.id`,
  `DELETE FROM storage_unjudged`,
]

export const storageBesidesBlocks: readonly string[] = [
  `CREATE TRIGGER inline_holding_added AFTER INSERT ON holding WHEN ${inlineSize('NEW')} > 0
    BEGIN UPDATE account_storage SET bytes = bytes + ${inlineSize('NEW')} WHERE id = NEW.storage; END`,
  // A BEFORE trigger, because the other trigger may remove the name of the root.
  `CREATE TRIGGER inline_holding_removed BEFORE DELETE ON holding WHEN ${inlineSize('OLD')} > 0
    BEGIN UPDATE account_storage SET bytes = bytes - ${inlineSize('OLD')} WHERE id = OLD.storage; END`,
  `CREATE TRIGGER pin_request_added AFTER INSERT ON pin_request BEGIN
    INSERT INTO account_storage (account_id) VALUES (NEW.account_id) ON CONFLICT (account_id) DO NOTHING;
    UPDATE account_storage SET bytes = bytes + ${requestSize('NEW')} WHERE account_id = NEW.account_id;
  END`,
  `CREATE TRIGGER pin_request_removed AFTER DELETE ON pin_request BEGIN
    UPDATE account_storage SET bytes = bytes - ${requestSize('OLD')} WHERE account_id = OLD.account_id;
  END`,
  ...countUncounted(`root.hash >= x'00' AND root.hash < x'01'`),
]
