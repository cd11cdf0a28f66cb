// Table `pin`: the pins of accounts, each with the root of its blocks. CIDs are bytes: a v0 and a v1 CID of one block are
// two pins.
// Tested by src/ipfs/files.test.ts, src/ipfs/pins/roots.test.ts
import type { PinProvide, Provide } from '../base/provide.ts'
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { isRoot, type RootName, rootParameters } from './roots.ts'

export type PinMode = 'recursive' | 'direct'

export type PinRow = { readonly cid: Uint8Array; readonly mode: PinMode; readonly name: string }

/** `bytes` and `blocks` null: the pin has no root yet. */
export type DatedPinRow = PinRow & {
  readonly created: number
  readonly bytes: number | null
  readonly blocks: number | null
  readonly provide: Provide
  /** Last and next announcement of the root, as of table `provide`; null: none, or no account makes it public. */
  readonly announced: number | null
  readonly due: number | null
}

/** A pin of a version that had no roots. */
export type UncountedPinRow = {
  readonly account_id: string
  readonly cid: Uint8Array
  readonly mode: PinMode
}

/** `account`: name of the account; null: there is no such account. */
export type AccountPinRow = {
  readonly account_id: string
  readonly account: string | null
  readonly cid: Uint8Array
  readonly root: number | null
}

/** Of a pin without a setting of its own. */
const asAccount: PinProvide = { provide: 'all', replaces: false }

/** Requires a reference to the root, if the same commit does not make it. */
function condition(isReferenced: boolean): string {
  return isReferenced ? `${isRoot} AND root.holders > 0` : isRoot
}

/** The account's own pin of exactly that CID. */
export function findPin(
  accountId: string,
  cid: Uint8Array,
): Query<{ readonly mode: PinMode; readonly name: string }> {
  return query('SELECT mode, name FROM pin WHERE account_id = ? AND cid = ?', [accountId, cid])
}

/** The account's pins by CID from `after` on. */
export function listPins(accountId: string, after: Uint8Array, limit: number): Query<PinRow> {
  return query(
    `SELECT cid, mode, name FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${limit}`,
    [accountId, after],
  )
}

/** The account's pins, the newest first. `before`: the last of the previous page, or null. */
export function listNewestPins(
  accountId: string,
  before: readonly [created: number, cid: Uint8Array] | null,
  limit: number,
): Query<DatedPinRow> {
  return query(
    `SELECT pin.cid, pin.mode, pin.name, pin.created, pin.provide, root.bytes, root.blocks,
            provide.announced, provide.due
       FROM pin LEFT JOIN root ON root.id = pin.root
       LEFT JOIN provide ON provide.multihash = root.hash AND provide.roots > 0
      WHERE pin.account_id = ? ${before === null ? '' : 'AND (pin.created, pin.cid) < (?, ?)'}
      ORDER BY pin.created DESC, pin.cid DESC LIMIT ?`,
    [accountId, ...(before ?? []), limit],
  )
}

/** As `listNewestPins`, of those whose name contains the text, in any case, or whose CID is the given one. */
export function searchNewestPins(
  accountId: string,
  wanted: { readonly name: string; readonly cid: Uint8Array },
  before: readonly [created: number, cid: Uint8Array] | null,
  limit: number,
): Query<DatedPinRow> {
  const pattern = `%${wanted.name.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return query(
    `SELECT pin.cid, pin.mode, pin.name, pin.created, pin.provide, root.bytes, root.blocks,
            provide.announced, provide.due
       FROM pin LEFT JOIN root ON root.id = pin.root
       LEFT JOIN provide ON provide.multihash = root.hash AND provide.roots > 0
      WHERE pin.account_id = ? AND (lower(pin.name) LIKE ? ESCAPE '\\' OR pin.cid = ?)
        ${before === null ? '' : 'AND (pin.created, pin.cid) < (?, ?)'}
      ORDER BY pin.created DESC, pin.cid DESC LIMIT ?`,
    [accountId, pattern, wanted.cid, ...(before ?? []), limit],
  )
}

/** One row. */
export function countPinsOf(accountId: string): Query<{ readonly pins: number }> {
  return query('SELECT count(*) AS pins FROM pin WHERE account_id = ?', [accountId])
}

/** The first uncounted pin after the given one. */
export function findNextUncountedPin(
  after: readonly [accountId: string, cid: Uint8Array],
): Query<UncountedPinRow> {
  return query(
    `SELECT account_id, cid, mode FROM pin WHERE root IS NULL AND (account_id, cid) > (?, ?)
        ORDER BY account_id, cid LIMIT 1`,
    after,
  )
}

/** The pins of all accounts as the table has them, without its indexes: to be iterated. */
export function listPinsOfAll(): Query<AccountPinRow> {
  return query(`SELECT pin.account_id AS account_id, account.name AS account, pin.cid AS cid,
    pin.root AS root FROM pin NOT INDEXED LEFT JOIN account ON account.id = pin.account_id`)
}

/**
 * Adds the pin or replaces its name, and `provide` if that `replaces`. A recursive pin replaces a direct one. Fails with `NothingChanged` if the pin is
 * direct and the existing one recursive, if the root is absent, or with `isReferenced` not referenced.
 */
export function upsertPin(
  accountId: string,
  pin: PinRow & { readonly created: number; readonly provide?: PinProvide },
  root: RootName,
  isReferenced: boolean,
): Statement {
  const { cid, mode, name, created, provide = asAccount } = pin
  const direct = mode === 'direct' ? ` WHERE pin.mode = 'direct'` : ''
  return {
    sql: `INSERT INTO pin (account_id, cid, mode, name, created, provide, root)
      SELECT ?, ?, ?, ?, ?, ?, root.id FROM root WHERE ${condition(isReferenced)}
      ON CONFLICT (account_id, cid) DO UPDATE SET mode = excluded.mode, name = excluded.name,
        root = excluded.root${provide.replaces ? ', provide = excluded.provide' : ''}${direct}`,
    parameters: [accountId, cid, mode, name, created, provide.provide, ...rootParameters(root)],
    require: 'change',
  }
}

/**
 * Adds a recursive pin of `to` with the name and `provide` of the recursive pin `from`. Fails with `NothingChanged` if there is no
 * such pin, if `to` already is pinned recursively, if the root is absent, or with `isReferenced` not referenced.
 */
export function copyPin(
  accountId: string,
  {
    from,
    to,
    created,
  }: { readonly from: Uint8Array; readonly to: Uint8Array; readonly created: number },
  root: RootName,
  isReferenced: boolean,
): Statement {
  return {
    sql: `INSERT INTO pin (account_id, cid, mode, name, created, provide, root)
      SELECT pin.account_id, ?, pin.mode, pin.name, ?, pin.provide, root.id FROM pin CROSS JOIN root
        WHERE pin.account_id = ? AND pin.cid = ? AND pin.mode = 'recursive' AND ${condition(isReferenced)}
      ON CONFLICT (account_id, cid) DO UPDATE SET mode = excluded.mode, name = excluded.name,
        provide = CASE pin.provide WHEN 'none' THEN 'none' ELSE excluded.provide END,
        root = excluded.root WHERE pin.mode = 'direct'`,
    parameters: [to, created, accountId, from, ...rootParameters(root)],
    require: 'change',
  }
}

/** With `recursive` false only a direct pin. Fails with `NothingChanged` if there is none. */
export function deletePin(accountId: string, cid: Uint8Array, recursive: boolean): Statement {
  const direct = recursive ? '' : ` AND mode = 'direct'`
  return {
    sql: `DELETE FROM pin WHERE account_id = ? AND cid = ?${direct}`,
    parameters: [accountId, cid],
    require: 'change',
  }
}

/** Sets the root of an uncounted pin. Fails with `NothingChanged` if the pin is absent or already counted. */
export function setRootOfPin(
  { account_id: accountId, cid, mode }: UncountedPinRow,
  root: RootName,
  isReferenced: boolean,
): Statement {
  const named = rootParameters(root)
  return {
    sql: `UPDATE pin SET root = (SELECT id FROM root WHERE ${condition(isReferenced)})
      WHERE account_id = ? AND cid = ? AND mode = ? AND root IS NULL
        AND EXISTS (SELECT 1 FROM root WHERE ${condition(isReferenced)})`,
    parameters: [...named, accountId, cid, mode, ...named],
    require: 'change',
  }
}
