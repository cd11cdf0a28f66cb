// Reads the pins of one account in pages of rows, so that a list of 100,000 does not delay other requests.
// Tested by src/ipfs/pins/account-pins.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import type { Rows } from '../../db/rows.ts'
import { findPin as findPinRow, listPins, type PinRow } from '../../tables/pins.ts'
import type { Pin } from '../files.ts'

/** Rows that are read before yielding to other work: creating their CIDs takes about a millisecond. */
const pageRows = 200
/**
 * Maximum number of direct pins that are buffered until the recursive ones are listed; if there are more, all rows are read again.
 */
const bufferedMax = 10_000

/**
 * Yields recursive pins first, then direct ones, each group ordered by the bytes of the CIDs. Each page is a separate read, so pins
 * that are added or removed during the iteration may be listed or not.
 */
export async function* accountPins(
  rows: Rows,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<Pin> {
  const buffered: PinRow[] = []
  let allBuffered = true
  for await (const page of pagesOf(rows, accountId, signal)) {
    for (const row of page) {
      if (row.mode === 'recursive') yield pinOf(row)
      else if (buffered.length < bufferedMax) buffered.push(row)
      else allBuffered = false
    }
  }
  const pages = allBuffered ? pagesIn(buffered, signal) : pagesOf(rows, accountId, signal)
  for await (const page of pages) {
    for (const row of page) if (row.mode === 'direct') yield pinOf(row)
  }
}

/** Reads pages of pins of both modes, so that each read scans at most one page. */
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

/** The account's own pin of this exact CID; null: none. */
export async function findPin(rows: Rows, accountId: string, cid: CID): Promise<Pin | null> {
  const row = await rows.first(findPinRow(accountId, cid.bytes))
  return row === null ? null : { cid, ...row }
}
