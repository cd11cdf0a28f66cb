// The pins of one account as a page shows them: the newest first, a piece at a time, with what each comes to.
// Tested by test/admin/admin-files.test.ts
import { CID } from 'multiformats/cid'
import type { Rows } from '../../db/rows.ts'
import { listNewestPins } from '../../tables/pins.ts'
import type { PinMode } from '../files.ts'

type ListedPin = {
  readonly cid: string
  readonly mode: PinMode
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
  /** All below it, each block once, framing included; null: it is still being counted. */
  readonly bytes: number | null
  readonly blocks: number | null
}

export type PinPage = {
  readonly pins: readonly ListedPin[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
}

const pageMax = 200

/** `from`: `next` of the page before; null: the first one. Null for a `from` that is none. */
export async function listPins(
  rows: Rows,
  accountId: string,
  from: string | null,
): Promise<PinPage | null> {
  const start = from === null ? null : parsePlace(from)
  if (from !== null && start === null) return null
  const found = await rows.find(listNewestPins(accountId, start, pageMax + 1))
  const shown = found.slice(0, pageMax)
  const last = shown.at(-1)
  return {
    pins: shown.map((row) => ({ ...row, cid: CID.decode(row.cid).toString() })),
    next:
      found.length > pageMax && last !== undefined
        ? `${last.created}-${CID.decode(last.cid).toString()}`
        : null,
  }
}

function parsePlace(text: string): readonly [created: number, cid: Uint8Array] | null {
  const [, created = '', cid = ''] = /^(\d{1,15})-([A-Za-z0-9]{1,200})$/.exec(text) ?? []
  try {
    return created === '' ? null : [Number(created), CID.parse(cid).bytes]
  } catch {
    return null
  }
}
