// Table `api_key`: keys and secrets, only as hashes.
// Tested by src/access/accounts/accounts.test.ts
import { placeholders, query, type Query } from '../db/rows.ts'
import type { SqlValue, Statement } from '../db/writer.ts'

/** Times are milliseconds since 1970 UTC. */
export type ApiKeyRow = {
  readonly id: string
  readonly account_id: string
  readonly account_name: string
  readonly name: string
  /** First 8 characters of the key, by which people recognize it. */
  readonly prefix: string
  readonly created: number
  readonly expires: number | null
  readonly revoked: number | null
  readonly last_used_day: string | null
  /** JSON of KeySettings. */
  readonly settings: string
  /** ID of the key that this one replaces, or null. */
  readonly rotated_from: string | null
  /** When the secret before the last rotation expires; null: the secret was never rotated. */
  readonly earlier_secret_expires: number | null
}

/** Data for authenticating a request. Hashes are sha256, 32 bytes. */
export type CredentialRow = {
  readonly id: string
  readonly account_id: string
  readonly account_name: string
  /** 1: the IPFS API is enabled for the account. */
  readonly card: number
  readonly key_hash: Uint8Array
  readonly secret_hash: Uint8Array
  readonly earlier_secret_hash: Uint8Array | null
  readonly earlier_secret_expires: number | null
  readonly expires: number | null
  readonly revoked: number | null
  readonly settings: string
  readonly account_settings: string
}

const selectKeys = `SELECT k.id, k.account_id, a.name AS account_name, k.name, k.prefix, k.created,
  k.expires, k.revoked, k.last_used_day, k.settings, k.rotated_from, k.earlier_secret_expires
  FROM api_key AS k JOIN account AS a ON a.id = k.account_id`
const inOrder = 'ORDER BY a.name, k.created, k.id'

export function findKeyById(id: string): Query<ApiKeyRow> {
  return query(`${selectKeys} WHERE k.id = ?`, [id])
}

export function findKeyByHash(keyHash: Uint8Array): Query<ApiKeyRow> {
  return query(`${selectKeys} WHERE k.key_hash = ?`, [keyHash])
}

export function findKeyOf(accountId: string, id: string): Query<ApiKeyRow> {
  return query(`${selectKeys} WHERE k.id = ? AND k.account_id = ?`, [id, accountId])
}

/** Ordered by account and age. */
export function listKeys(): Query<ApiKeyRow> {
  return query(`${selectKeys} ${inOrder}`)
}

/** The oldest first. */
export function listKeysOf(accountId: string): Query<ApiKeyRow> {
  return query(`${selectKeys} WHERE k.account_id = ? ${inOrder}`, [accountId])
}

export type KeyFilter = {
  /** Null: keys of all accounts. */
  readonly accountIds: readonly string[] | null
  /** Null: any. */
  readonly ids: readonly string[] | null
  /** A part of the name in any letter case, the first characters of the prefix, or the ID; null: any. */
  readonly search: string | null
  /** `active`: neither revoked nor expired `at` this time. Null: any. */
  readonly state: { readonly active: boolean; readonly at: number } | null
}

/** Position of a key in the order of account and age. */
export type KeyPlace = readonly [account: string, created: number, id: string]

/** Ordered by account and age. `after`: the last key of the previous page, or null. `limit`: null for all. */
export function listKeyPage(
  filter: KeyFilter,
  after: KeyPlace | null,
  limit: number | null,
): Query<ApiKeyRow> {
  const { sql, parameters } = conditionOf(filter)
  const begin = after === null ? '' : ' AND (a.name, k.created, k.id) > (?, ?, ?)'
  return query(`${selectKeys} WHERE ${sql}${begin} ${inOrder}${limit === null ? '' : ' LIMIT ?'}`, [
    ...parameters,
    ...(after ?? []),
    ...(limit === null ? [] : [limit]),
  ])
}

/** Returns one row. */
export function countKeysBy(filter: KeyFilter): Query<{ readonly keys: number }> {
  const { sql, parameters } = conditionOf(filter)
  return query(`SELECT count(*) AS keys FROM api_key AS k WHERE ${sql}`, parameters)
}

function conditionOf({ accountIds, ids, search, state }: KeyFilter) {
  const parts = ['1 = 1']
  const parameters: (string | number)[] = []
  for (const [column, values] of [
    ['k.account_id', accountIds],
    ['k.id', ids],
  ] as const) {
    if (values === null) continue
    parts.push(values.length === 0 ? '1 = 0' : `${column} IN (${placeholders(values)})`)
    parameters.push(...values)
  }
  if (search !== null) {
    const like = String.raw`LIKE ? ESCAPE '\'`
    const pattern = search.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)
    parts.push(`(lower(k.name) ${like} OR lower(k.prefix) ${like} OR k.id = ?)`)
    parameters.push(`%${pattern}%`, `${pattern}%`, search)
  }
  if (state !== null) {
    const active = '(k.revoked IS NULL AND (k.expires IS NULL OR k.expires > ?))'
    parts.push(state.active ? active : `NOT ${active}`)
    parameters.push(state.at)
  }
  return { sql: parts.join(' AND '), parameters }
}

/** Names of the keys of an account, including revoked ones. */
export function listKeyNames(accountId: string): Query<Pick<ApiKeyRow, 'id' | 'name' | 'prefix'>> {
  return query('SELECT id, name, prefix FROM api_key WHERE account_id = ?', [accountId])
}

/** IDs of the keys of all accounts. */
export function listKeyIds(): Query<Pick<ApiKeyRow, 'id'>> {
  return query('SELECT id FROM api_key ORDER BY id')
}

/** Includes revoked keys. */
export function listKeyIdsOf(accountId: string): Query<Pick<ApiKeyRow, 'id'>> {
  return query('SELECT id FROM api_key WHERE account_id = ?', [accountId])
}

/** One row if a key exists. */
export function keyExists(): Query<Pick<ApiKeyRow, 'id'>> {
  return query('SELECT id FROM api_key LIMIT 1')
}

export function findKeySettings(id: string): Query<Pick<ApiKeyRow, 'settings'>> {
  return query('SELECT settings FROM api_key WHERE id = ?', [id])
}

/** Returns one row. `working`: number of keys neither revoked nor expired at `now`. */
export function countKeys(
  accountId: string,
  now: number,
): Query<{ readonly held: number; readonly working: number }> {
  return query(
    `SELECT count(*) AS held,
      count(*) FILTER (WHERE revoked IS NULL AND (expires IS NULL OR expires > ?)) AS working
      FROM api_key WHERE account_id = ?`,
    [now, accountId],
  )
}

const selectCredentials = `SELECT k.id, k.account_id, a.name AS account_name, a.card, k.key_hash, k.secret_hash,
  k.earlier_secret_hash, k.earlier_secret_expires, k.expires, k.revoked, k.settings,
  a.settings AS account_settings FROM api_key AS k JOIN account AS a ON a.id = k.account_id`

/** Credentials of all keys, including revoked ones. */
export function listCredentials(): Query<CredentialRow> {
  return query(selectCredentials)
}

export function findCredential(keyHash: Uint8Array): Query<CredentialRow> {
  return query(`${selectCredentials} WHERE k.key_hash = ?`, [keyHash])
}

export type NewKeyRow = Pick<
  ApiKeyRow,
  'id' | 'account_id' | 'name' | 'prefix' | 'created' | 'expires' | 'settings' | 'rotated_from'
> &
  Pick<CredentialRow, 'key_hash' | 'secret_hash'>

const insertSql = `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash,
  created, expires, settings, rotated_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Fails with `NothingChanged` if the key already exists. */
export function insertKey(row: NewKeyRow): Statement {
  return {
    sql: `${insertSql} ON CONFLICT (key_hash) DO NOTHING`,
    parameters: valuesOf(row),
    require: 'change',
  }
}

/** Inserts the successor of a key that `endReplacedKey` ends. */
export function insertSuccessor(row: NewKeyRow): Statement {
  return { sql: insertSql, parameters: valuesOf(row) }
}

function valuesOf(row: NewKeyRow): readonly SqlValue[] {
  const { id, account_id, name, prefix, key_hash, secret_hash } = row
  const { created, expires, settings, rotated_from } = row
  return [
    id,
    account_id,
    name,
    prefix,
    key_hash,
    secret_hash,
    created,
    expires,
    settings,
    rotated_from,
  ]
}

/** Fails with `NothingChanged` if the key is already revoked. */
export function revokeKey(id: string, now: number): Statement {
  return {
    sql: 'UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL',
    parameters: [now, id],
    require: 'change',
  }
}

/**
 * Fails with `NothingChanged` if the settings differ from `before`, so of two concurrent changes only the first is stored. Members
 * missing in `changes` retain their value.
 */
export function updateKey(
  id: string,
  before: string,
  changes: {
    readonly settings: string
    readonly name?: string | undefined
    readonly expires?: number | null | undefined
  },
): Statement {
  const { settings, name, expires } = changes
  const values: [column: string, value: SqlValue][] = [['settings', settings]]
  if (name !== undefined) values.push(['name', name])
  if (expires !== undefined) values.push(['expires', expires])
  const columns = values.map(([column]) => `${column} = ?`).join(', ')
  return {
    sql: `UPDATE api_key SET ${columns} WHERE id = ? AND settings = ?`,
    parameters: [...values.map(([, value]) => value), id, before],
    require: 'change',
  }
}

const works = 'revoked IS NULL AND (expires IS NULL OR expires > ?)'

/**
 * Revokes a key now, or sets its expiry. Fails with `NothingChanged` if the key does not work at `now` or has a successor that is
 * not revoked.
 */
export function endReplacedKey(
  id: string,
  now: number,
  end: { readonly revoked: number } | { readonly expires: number },
): Statement {
  const [column, time] = 'revoked' in end ? ['revoked', end.revoked] : ['expires', end.expires]
  return {
    sql: `UPDATE api_key SET ${column} = ? WHERE id = ? AND ${works} AND NOT EXISTS
      (SELECT 1 FROM api_key AS successor WHERE successor.rotated_from = ? AND successor.revoked IS NULL)`,
    parameters: [time, id, now, id],
    require: 'change',
  }
}

/**
 * The current secret becomes the earlier one, valid until `earlierExpires`. Fails with `NothingChanged` if the key does not work at
 * `now`.
 */
export function replaceSecret(order: {
  readonly id: string
  readonly secretHash: Uint8Array
  readonly now: number
  readonly earlierExpires: number
}): Statement {
  const { id, secretHash, now, earlierExpires } = order
  return {
    sql: `UPDATE api_key SET earlier_secret_hash = secret_hash, earlier_secret_expires = ?, secret_hash = ?
      WHERE id = ? AND ${works}`,
    parameters: [earlierExpires, secretHash, id, now],
    require: 'change',
  }
}
