// The pins of one account, a page of rows at a time, so that a list of a hundred thousand holds nobody up.
// Tested by src/ipfs/pins/own-pins.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../db/sqlite.ts'
import type { Pin, PinMode } from '../files.ts'

/** Rows that are read before other work has its turn: a millisecond of making CIDs of them. */
const pageRows = 200

/**
 * Recursive pins first, then direct ones, each group by the bytes of its CIDs. Each page is as of its own read: what is
 * pinned or unpinned meanwhile may be among them or not.
 */
export async function* ownPins(
  database: Database,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<Pin> {
  // The rows of both modes are read for either, so that no read looks at more than a page of them.
  const sql = `SELECT cid, mode, name FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${pageRows}`
  for (const wanted of ['recursive', 'direct'] as const) {
    let after: Uint8Array = new Uint8Array()
    for (;;) {
      signal.throwIfAborted()
      const rows = database.all<{ cid: Uint8Array; mode: PinMode; name: string }>(sql, [
        accountId,
        after,
      ])
      for (const { cid, mode, name } of rows) {
        if (mode === wanted) yield { cid: CID.decode(cid), mode, name }
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageRows) break
      after = last.cid
      await setImmediate()
    }
  }
}

/** The account's own pin of exactly that CID; null: there is none. */
export function findPin(database: Database, accountId: string, cid: CID): Pin | null {
  const row = database.get<{ mode: PinMode; name: string }>(
    'SELECT mode, name FROM pin WHERE account_id = ? AND cid = ?',
    [accountId, cid.bytes],
  )
  return row === null ? null : { cid, ...row }
}
