// The pins of one account, a page of rows at a time, so that a list of 100,000 does not delay other requests.
// Tested by src/ipfs/pins/account-pins.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { findAll, findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { findPin as findPinRow, listPins, type PinRow } from '../../tables/pins.ts'
import type { Pin } from '../files.ts'

/** Rows that are read before other work has its turn: a millisecond of making CIDs of them. */
const pageRows = 200
/** Direct pins that are held back until the recursive ones were listed; for more of them all rows are read again. */
const heldMax = 10_000

/**
 * Recursive pins first, then direct ones, each group by the bytes of its CIDs. Each page is as of its own read: what is
 * pinned or unpinned meanwhile may be among them or not.
 */
export async function* accountPins(
  database: Database,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<Pin> {
  const held: PinRow[] = []
  let isHeld = true
  for await (const rows of pagesOf(database, accountId, signal)) {
    for (const row of rows) {
      if (row.mode === 'recursive') yield pinOf(row)
      else if (held.length < heldMax) held.push(row)
      else isHeld = false
    }
  }
  const pages = isHeld ? pagesIn(held, signal) : pagesOf(database, accountId, signal)
  for await (const rows of pages) {
    for (const row of rows) if (row.mode === 'direct') yield pinOf(row)
  }
}

/** Of both modes, so that no read looks at more than a page of them. */
async function* pagesOf(
  database: Database,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly PinRow[]> {
  let after: Uint8Array = new Uint8Array()
  for (;;) {
    signal.throwIfAborted()
    const rows = findAll(database, listPins(accountId, after, pageRows))
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last.cid
    await setImmediate()
  }
}

async function* pagesIn(
  rows: readonly PinRow[],
  signal: AbortSignal,
): AsyncGenerator<readonly PinRow[]> {
  for (let from = 0; from < rows.length; from += pageRows) {
    signal.throwIfAborted()
    yield rows.slice(from, from + pageRows)
    await setImmediate()
  }
}

function pinOf({ cid, mode, name }: PinRow): Pin {
  return { cid: CID.decode(cid), mode, name }
}

/** The account's own pin of exactly that CID; null: there is none. */
export function findPin(database: Database, accountId: string, cid: CID): Pin | null {
  const row = findOne(database, findPinRow(accountId, cid.bytes))
  return row === null ? null : { cid, ...row }
}
