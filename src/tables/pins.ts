// Table `pin`: the pins of accounts, each with the root of its blocks. CIDs are stored as bytes: a v0 and a v1 CID of one block are
// two pins.
// Tested by src/ipfs/files.test.ts, src/ipfs/pins/roots.test.ts
import type { NameEndings } from '../base/file-types.ts'
import type { PinProvide, Provide } from '../base/provide.ts'
import type { CidRange } from '../codec/ipld/cid-range.ts'
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
  /** The API key that added the pin; null: unknown. */
  readonly key_id: string | null
  /** Last and next announcement of the root, as in table `provide`; null: none, or no account makes it public. */
  readonly announced: number | null
  readonly due: number | null
  /** The value that determines the position in the list. */
  readonly place: number | string
}

/** A pin of an earlier version, which had no roots. */
export type UncountedPinRow = {
  readonly account_id: string
  readonly cid: Uint8Array
  readonly mode: PinMode
}

/** `account`: name of the account; null: the account does not exist. */
export type AccountPinRow = {
  readonly account_id: string
  readonly account: string | null
  readonly cid: Uint8Array
  readonly root: number | null
}

/** For a pin without its own setting. */
const asAccount: PinProvide = { provide: 'all', replaces: false }

/** Requires that the root is referenced, unless the same commit creates it. */
function condition(isReferenced: boolean): string {
  return isReferenced ? `${isRoot} AND root.holders > 0` : isRoot
}

/** The account's own pin of this exact CID. */
export function findPin(
  accountId: string,
  cid: Uint8Array,
): Query<{ readonly mode: PinMode; readonly name: string }> {
  return query('SELECT mode, name FROM pin WHERE account_id = ? AND cid = ?', [accountId, cid])
}

/** The account's pins by CID after `after`. */
export function listPins(accountId: string, after: Uint8Array, limit: number): Query<PinRow> {
  return query(
    `SELECT cid, mode, name FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${limit}`,
    [accountId, after],
  )
}

/** Pins with equal values are ordered by CID. */
export type PinOrder = { readonly by: 'created' | 'name' | 'size'; readonly down: boolean }

export type PinFilter = {
  /** A substring of the name in any letter case, or a CID in the range; null: any. */
  readonly search: { readonly name: string; readonly cids: CidRange | null } | null
  /** Null: any. */
  readonly endings: NameEndings | null
  /** Null: any. */
  readonly announcement: AnnouncementFilter | null
  /** The API key that added the pin; null: any. */
  readonly keyId: string | null
}

/** Pins with a root in one of these states, or `not` in any of them. */
export type AnnouncementFilter = {
  readonly states: readonly (keyof typeof announcementStates)[]
  readonly not: boolean
}

/** A private pin has none, even if another account announces the same root. */
const announcementStates = {
  announced: `pin.provide <> 'none' AND provide.announced IS NOT NULL`,
  waiting: `pin.provide <> 'none' AND provide.due IS NOT NULL AND provide.announced IS NULL`,
} as const

const withRoot = `pin LEFT JOIN root ON root.id = pin.root
       LEFT JOIN provide ON provide.multihash = root.hash AND provide.roots > 0`

const listedColumns = `pin.cid, pin.mode, pin.name, pin.created, pin.provide, pin.key_id, root.bytes, root.blocks,
            provide.announced, provide.due`

/** The account's own pin of this exact CID. */
export function findDatedPin(
  accountId: string,
  cid: Uint8Array,
): Query<Omit<DatedPinRow, 'place'>> {
  return query(
    `SELECT ${listedColumns} FROM ${withRoot} WHERE pin.account_id = ? AND pin.cid = ?`,
    [accountId, cid],
  )
}

/** The values by which pins are ordered; a pin without a size sorts first. */
const orderValues = {
  created: 'pin.created',
  name: 'lower(pin.name)',
  size: 'coalesce(root.bytes, -1)',
} as const satisfies Readonly<Record<PinOrder['by'], string>>

/** A page of the account's pins. `after`: the value and CID of the last pin of the previous page, or null. */
export function listPinPage(
  accountId: string,
  filter: PinFilter,
  { by, down }: PinOrder,
  {
    after,
    limit,
  }: {
    readonly after: readonly [value: number | string, cid: Uint8Array] | null
    readonly limit: number
  },
): Query<DatedPinRow> {
  const value = orderValues[by]
  const way = down ? 'DESC' : 'ASC'
  const filtered = filterOf(filter)
  return query(
    `SELECT ${listedColumns}, ${value} AS place
       FROM ${withRoot}
      WHERE pin.account_id = ?${filtered.sql}
        ${after === null ? '' : `AND (${value}, pin.cid) ${down ? '<' : '>'} (?, ?)`}
      ORDER BY ${value} ${way}, pin.cid ${way} LIMIT ?`,
    [accountId, ...filtered.parameters, ...(after ?? []), limit],
  )
}

/** Returns one row. */
export function countPinsBy(
  accountId: string,
  filter: PinFilter,
): Query<{ readonly pins: number }> {
  const { sql, parameters } = filterOf(filter)
  return query(`SELECT count(*) AS pins FROM ${withRoot} WHERE pin.account_id = ?${sql}`, [
    accountId,
    ...parameters,
  ])
}

function filterOf({
  search,
  endings,
  announcement,
  keyId,
}: PinFilter): Pick<Query<never>, 'sql' | 'parameters'> {
  const parts: string[] = []
  const parameters: (string | Uint8Array)[] = []
  const like = String.raw`lower(pin.name) LIKE ? ESCAPE '\'`
  if (search !== null) {
    const { name, cids } = search
    parts.push(cids === null ? like : `(${like} OR pin.cid >= ? AND pin.cid < ?)`)
    const pattern = name.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)
    parameters.push(`%${pattern}%`, ...(cids === null ? [] : [cids.from, cids.below]))
  }
  if (endings !== null) {
    const any = endings.endings.map(() => like).join(' OR ')
    parts.push(`${endings.not ? 'NOT ' : ''}(${any})`)
    parameters.push(...endings.endings.map((ending) => `%.${ending}`))
  }
  if (keyId !== null) {
    parts.push('pin.key_id = ?')
    parameters.push(keyId)
  }
  if (announcement !== null) {
    const any = announcement.states.map((state) => `(${announcementStates[state]})`).join(' OR ')
    parts.push(`${announcement.not ? 'NOT ' : ''}(${any === '' ? '1 = 0' : any})`)
  }
  return { sql: parts.map((part) => ` AND ${part}`).join(''), parameters }
}

/** Returns one row. */
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

/** The pins of all accounts, read from the table without its indexes; for iteration. */
export function listPinsOfAll(): Query<AccountPinRow> {
  return query(`SELECT pin.account_id AS account_id, account.name AS account, pin.cid AS cid,
    pin.root AS root FROM pin NOT INDEXED LEFT JOIN account ON account.id = pin.account_id`)
}

/**
 * Adds the pin, `created` by the key, or replaces its name, and also `provide` if it `replaces`. A recursive pin replaces a direct one. Fails with
 * `NothingChanged` if the pin is direct and the existing one recursive, if the root does not exist, or with `isReferenced` is not
 * referenced.
 */
export function upsertPin(
  accountId: string,
  pin: PinRow & {
    readonly created: number
    readonly provide?: PinProvide
    readonly keyId?: string
  },
  root: RootName,
  isReferenced: boolean,
): Statement {
  const { cid, mode, name, created, provide = asAccount, keyId = null } = pin
  const direct = mode === 'direct' ? ` WHERE pin.mode = 'direct'` : ''
  return {
    sql: `INSERT INTO pin (account_id, cid, mode, name, created, provide, key_id, root)
      SELECT ?, ?, ?, ?, ?, ?, ?, root.id FROM root WHERE ${condition(isReferenced)}
      ON CONFLICT (account_id, cid) DO UPDATE SET mode = excluded.mode, name = excluded.name,
        root = excluded.root${provide.replaces ? ', provide = excluded.provide' : ''}${direct}`,
    parameters: [
      accountId,
      cid,
      mode,
      name,
      created,
      provide.provide,
      keyId,
      ...rootParameters(root),
    ],
    require: 'change',
  }
}

/**
 * Adds a recursive pin of `to` with the name and `provide` of the recursive pin `from`. Fails with `NothingChanged` if `from` is
 * not pinned recursively, if `to` already is, if the root does not exist, or with `isReferenced` is not referenced.
 */
export function copyPin(
  accountId: string,
  {
    from,
    to,
    created,
    keyId,
  }: {
    readonly from: Uint8Array
    readonly to: Uint8Array
    readonly created: number
    readonly keyId?: string | undefined
  },
  root: RootName,
  isReferenced: boolean,
): Statement {
  return {
    sql: `INSERT INTO pin (account_id, cid, mode, name, created, provide, key_id, root)
      SELECT pin.account_id, ?, pin.mode, pin.name, ?, pin.provide, ?, root.id FROM pin CROSS JOIN root
        WHERE pin.account_id = ? AND pin.cid = ? AND pin.mode = 'recursive' AND ${condition(isReferenced)}
      ON CONFLICT (account_id, cid) DO UPDATE SET mode = excluded.mode, name = excluded.name,
        provide = CASE pin.provide WHEN 'none' THEN 'none' ELSE excluded.provide END,
        root = excluded.root WHERE pin.mode = 'direct'`,
    parameters: [to, created, keyId ?? null, accountId, from, ...rootParameters(root)],
    require: 'change',
  }
}

/** `recursive` false: deletes only a direct pin. Fails with `NothingChanged` if there is none. */
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

/** Restores when and by which key the pin was added. Fails with `NothingChanged` if the account has not pinned this exact CID. */
export function setOriginOfPin(
  accountId: string,
  cid: Uint8Array,
  {
    created,
    keyId,
  }: { readonly created?: number | undefined; readonly keyId?: string | undefined },
): Statement {
  return {
    sql: `UPDATE pin SET created = coalesce(?, created), key_id = coalesce(?, key_id)
      WHERE account_id = ? AND cid = ?`,
    parameters: [created ?? null, keyId ?? null, accountId, cid],
    require: 'change',
  }
}
