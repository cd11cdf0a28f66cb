// Pins as rows: the statements that change them and the reads of one account's own. Nothing here ever looks
// at another account's rows.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { toLatin1 } from '../../base/hex.ts'
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { identityCode, sha256Code } from '../../codec/ipld/multihash.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement } from '../../db/writer.ts'
import type { Pin } from '../files.ts'
import { endAttempts } from './leases.ts'
import { isRoot, type Put, type RootName, rootOf, rootParameters, rootStatements } from './roots.ts'

/**
 * Adds the pin or replaces its name. `put`: where the commit finds all that it reaches; null: the root is already referenced,
 * or the write fails with `NothingChanged`. A recursive pin takes the place of a direct one; a direct pin over a
 * recursive one changes no row, so the write fails in the same way.
 */
export function pinStatements(
  accountId: string,
  { cid, mode, name }: Pin,
  put: Put | null,
  now: number,
): readonly Statement[] {
  const root = rootOf(cid, mode)
  const direct = mode === 'direct' ? ` WHERE pin.mode = 'direct'` : ''
  const add: Statement = {
    sql: `INSERT INTO pin (account_id, cid, mode, name, created, root)
      SELECT ?, ?, ?, ?, ?, root.id FROM root WHERE ${rootCondition(put)}
      ON CONFLICT (account_id, cid) DO UPDATE SET mode = excluded.mode, name = excluded.name,
        root = excluded.root${direct}`,
    parameters: [accountId, cid.bytes, mode, name, now, ...rootParameters(root)],
    require: 'change',
  }
  return [...made(root, put), add, endAttempts(accountId, cid)]
}

function made(root: RootName, put: Put | null): readonly Statement[] {
  return put === null ? [] : rootStatements(root, put)
}

function rootCondition(put: Put | null): string {
  return put === null ? `${isRoot} AND root.holders > 0` : isRoot
}

/** Removes the pin; with `recursive` false only a direct one. Fails with `NothingChanged` when there is none. */
export function unpinStatement(accountId: string, cid: CID, recursive: boolean): Statement {
  const direct = recursive ? '' : ` AND mode = 'direct'`
  return {
    sql: `DELETE FROM pin WHERE account_id = ? AND cid = ?${direct}`,
    parameters: [accountId, cid.bytes],
    require: 'change',
  }
}

/**
 * Pins `to` recursively under the name of the recursive pin `from`, and with `unpin` removes that. Fails with
 * `NothingChanged` when there is no such pin or `to` is pinned recursively already. `put`: as for `pinStatements`.
 */
export function movePinStatements(
  accountId: string,
  { from, to, unpin }: { readonly from: CID; readonly to: CID; readonly unpin: boolean },
  put: Put | null,
  now: number,
): readonly Statement[] {
  const root = rootOf(to, 'recursive')
  const add: Statement = {
    sql: `INSERT INTO pin (account_id, cid, mode, name, created, root)
      SELECT pin.account_id, ?, pin.mode, pin.name, ?, root.id FROM pin CROSS JOIN root
        WHERE pin.account_id = ? AND pin.cid = ? AND pin.mode = 'recursive' AND ${rootCondition(put)}
      ON CONFLICT (account_id, cid) DO UPDATE SET mode = excluded.mode, name = excluded.name,
        root = excluded.root WHERE pin.mode = 'direct'`,
    parameters: [to.bytes, now, accountId, from.bytes, ...rootParameters(root)],
    require: 'change',
  }
  const remove = unpin ? [unpinStatement(accountId, from, true)] : []
  return [...made(root, put), add, ...remove, endAttempts(accountId, to)]
}

/** Leases of an account that are looked through for what it only leases. */
const leasesMax = 1000

/** Whose pins count: one account's, or with null anyone's. `whole`: with all below, which a direct pin does not hold. */
type PinnedBy = { readonly accountId: string | null; readonly whole: boolean }

/**
 * Is the CID pinned, as v0 or v1, or does it lie below a recursive pin? An account of very many leases is believed of
 * the CIDs of its pins alone.
 */
export function isPinned(database: Database, cid: CID, { accountId, whole }: PinnedBy): boolean {
  const forms = [cid, ...otherForm(cid)].map(({ bytes }) => bytes)
  const places = forms.map(() => '?').join(', ')
  const mode = whole ? ` AND mode = 'recursive'` : ''
  const pinned = `SELECT 1 FROM pin WHERE account_id = account.id AND cid IN (${places})${mode}`
  const own = accountId === null ? '' : 'account.id = ? AND '
  // By account, because that is what the primary key begins with.
  const sql = `SELECT 1 FROM account WHERE ${own}EXISTS (${pinned}) LIMIT 1`
  const named = accountId === null ? [] : [accountId]
  if (database.getValue(sql, [...named, ...forms]) !== null) return true
  const below = isBelowPin(places, accountId !== null)
  return database.getValue(below, [cid.multihash.bytes, ...named, ...forms]) !== null
}

/**
 * More roots of the account reach the block than those it only leases, those it let go of, block after block, and those
 * of direct pins. `places`: of the forms of the CID.
 */
function isBelowPin(places: string, ofOne: boolean): string {
  const own = ofOne ? ' AND storage.account_id = ?' : ''
  return `SELECT 1 FROM block
    JOIN charge ON charge.block = block.id
    JOIN account_storage AS storage ON storage.id = charge.storage
    WHERE block.hash = ?${own}
      AND (SELECT count(*) FROM (SELECT 1 FROM lease WHERE lease.account_id = storage.account_id
        LIMIT ${leasesMax + 1})) <= ${leasesMax}
      AND charge.roots > (SELECT count(*) FROM lease
        JOIN holding ON holding.storage = storage.id AND holding.root = lease.root AND holding.claims = 1
        JOIN closure ON closure.root = lease.root AND closure.block = block.id
        WHERE lease.account_id = storage.account_id)
        + (SELECT count(*) FROM releasing
        JOIN closure ON closure.root = releasing.root AND closure.block = block.id
        WHERE releasing.storage = storage.id AND releasing.after < block.id)
        + (SELECT count(DISTINCT pin.root) FROM pin
        WHERE pin.account_id = storage.account_id AND pin.mode = 'direct' AND pin.cid IN (${places}))
    LIMIT 1`
}

function otherForm(cid: CID): readonly CID[] {
  if (cid.version === 0) return [cid.toV1()]
  const liftable = cid.code === dagPbCodec && cid.multihash.code === sha256Code
  return liftable ? [cid.toV0()] : []
}

/** Pins times blocks that are looked up before other work has its turn. */
const stepLookups = 10_000

/**
 * The account's pins, as `toLatin1` of their CIDs, whose closure has one of these blocks, or is not known yet. Null: any may, because
 * a block that lies in its own CID is in no closure.
 */
export async function pinsOver(
  database: Database,
  accountId: string,
  sought: readonly CID[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  if (sought.some(({ multihash }) => multihash.code === identityCode)) return null
  const hashes = sought.map(({ multihash }) => multihash.bytes)
  const step = Math.max(1, Math.floor(stepLookups / Math.max(1, hashes.length)))
  const sql = `SELECT pin.cid AS cid, pin.root IS NULL OR EXISTS (SELECT 1 FROM block CROSS JOIN closure
      ON closure.root = pin.root AND closure.block = block.id
      WHERE block.hash IN (${hashes.map(() => '?').join(', ')})) AS over
    FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${step}`
  const found = new Set<string>()
  let after: Uint8Array = new Uint8Array()
  for (;;) {
    signal.throwIfAborted()
    const rows = database.all<{ cid: Uint8Array; over: number }>(sql, [...hashes, accountId, after])
    for (const { cid, over } of rows) if (over === 1) found.add(toLatin1(cid))
    const last = rows.at(-1)
    if (last === undefined || rows.length < step) return found
    after = last.cid
    await setImmediate()
  }
}
