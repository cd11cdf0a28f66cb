// The tables of accounts, people, usage and files, which `cairn migrate` moves between `cairn.db` and PostgreSQL as a whole. Chain
// content stays in `cairn.db`, and leases, segments and open uploads belong to the servers of one database.
// Tested by src/db/moved-tables.test.ts, test/cli/migrate.test.ts

/** A table follows those that it references. `block` is last: it gets the locations of the copies at the target. */
export const movedTables: readonly string[] = [
  'account',
  'api_key',
  'public_key',
  'card',
  'card_attempt',
  'card_notice',
  'alert_targets',
  'alert_told',
  'alert_incident',
  'person',
  'membership',
  'recovery_code',
  'session',
  'invitation',
  'token',
  'passkey',
  'identity',
  'rule_grant',
  'audit',
  'usage',
  'latency',
  'verified',
  'transfer',
  'usage_flush',
  'root',
  'closure',
  'account_storage',
  'holding',
  'charge',
  'releasing',
  'lease',
  'pin',
  'provide',
  'mfs',
  'mfs_block',
  'collection',
  'denial',
  'saved_network',
  'pin_request',
  'pin_remote',
  'ipns_record',
  'ipns_key',
]

/** Maximum number of rows in memory. */
export const movedRowsAtOnce = 1000

/** Locations of the copies at the target while the rows of `block` are replaced. */
export const placesSql =
  'CREATE TEMPORARY TABLE moved_place AS SELECT hash, file, at, bytes, form FROM block WHERE file > 0'

/** Storage of each account: as stored in its row, and as computed from the rows of its blocks. */
export const storageSql = `SELECT account_id, blocks, bytes,
  (SELECT count(*) FROM charge WHERE storage = account_storage.id) AS charged,
  (SELECT coalesce(sum(size), 0) FROM charge WHERE storage = account_storage.id) AS size
  FROM account_storage ORDER BY id`

/** Storage of accounts, some of which are compared by one statement. */
export type StorageRow = {
  readonly account_id: string
  readonly blocks: number
  readonly bytes: number
  readonly charged: number
  readonly size: number
}

/** `rows`: number by table. `storage`: sums of all accounts. */
export type Recount = {
  readonly rows: Readonly<Record<string, number>>
  readonly accounts: number
  readonly storedBytes: number
  /** Number of blocks without a copy at the target. */
  readonly lost: number
}

/** Throws a sentence if the target lacks rows of the source. */
export function compareCounts(
  source: Readonly<Record<string, number>>,
  target: Readonly<Record<string, number>>,
): void {
  const wrong = Object.keys(source).filter((name) => source[name] !== target[name])
  if (wrong.length === 0) return
  const named = wrong.map((name) => `${name} ${source[name]} and ${target[name]}`).join(', ')
  throw new Error(`the rows of source and target differ, so nothing was moved: ${named}`)
}

/** Throws a sentence if an account's storage differs at the target. */
export function compareStorage(
  source: readonly StorageRow[],
  target: readonly StorageRow[],
): { readonly accounts: number; readonly storedBytes: number } {
  const texts = target.map(textOf)
  const wrong = source.find((row, index) => textOf(row) !== texts[index])
  if (wrong !== undefined || source.length !== target.length) {
    throw new Error(
      `the storage of account ${wrong?.account_id ?? 'unknown'} differs between source and target, so nothing was moved`,
    )
  }
  return {
    accounts: target.length,
    storedBytes: target.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function textOf({ account_id, blocks, bytes, charged, size }: StorageRow): string {
  return [account_id, blocks, bytes, charged, size].join(' ')
}
