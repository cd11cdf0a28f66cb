// The pins of one account, a page of rows at a time, so that a list of 100,000 does not delay other requests.
// Tested by src/ipfs/pins/account-pins.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import type { Rows } from '../../db/rows.ts'
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
  rows: Rows,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<Pin> {
  const held: PinRow[] = []
  let isHeld = true
  for await (const page of pagesOf(rows, accountId, signal)) {
    for (const row of page) {
      if (row.mode === 'recursive') yield pinOf(row)
      else if (held.length < heldMax) held.push(row)
      else isHeld = false
    }
  }
  const pages = isHeld ? pagesIn(held, signal) : pagesOf(rows, accountId, signal)
  for await (const page of pages) {
    for (const row of page) if (row.mode === 'direct') yield pinOf(row)
  }
}

/** Of both modes, so that no read looks at more than a page of them. */
async function* pagesOf(
  rows: Rows,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly PinRow[]> {
  let after: Uint8Array = new Uint8Array()
  for (;;) {
    signal.throwIfAborted()
    const page = await rows.find(listPins(accountId, after, pageRows))
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
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
export async function findPin(rows: Rows, accountId: string, cid: CID): Promise<Pin | null> {
  const row = await rows.first(findPinRow(accountId, cid.bytes))
  return row === null ? null : { cid, ...row }
}
