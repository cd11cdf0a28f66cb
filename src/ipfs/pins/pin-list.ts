// The pins of one account as a page shows them: the newest first, a piece at a time, with what each comes to.
// Tested by test/admin/admin-files.test.ts
import { CID } from 'multiformats/cid'
import type { Provide } from '../../base/provide.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import { countPinsOf, listNewestPins, searchNewestPins } from '../../tables/pins.ts'
import { newDueMax } from '../../tables/network/provide.ts'
import { setProvideOfPin } from '../../tables/network/public-blocks.ts'
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
  /** Of this pin; narrows the setting of the account. */
  readonly provide: Provide
  /** Last and next announcement of the root, 0: the first one waits; null: none, or no account makes it public. */
  readonly announced: number | null
  readonly due: number | null
}

export type PinPage = {
  readonly pins: readonly ListedPin[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
  /** All pins of the account. */
  readonly count: number
}

const pageMax = 200
/** Stands for a text that is no CID: no pin has it. */
const noCid = new Uint8Array()

/**
 * `from`: `next` of the page before; null: the first one. `search`: a part of the name, in any case, or the whole CID; null: all.
 * Null for a `from` that is none.
 */
export async function listPins(
  rows: Rows,
  accountId: string,
  {
    from,
    search,
    limit = pageMax,
  }: { readonly from: string | null; readonly search: string | null; readonly limit?: number },
): Promise<PinPage | null> {
  const start = from === null ? null : parsePlace(from)
  if (from !== null && start === null) return null
  const size = Math.min(limit, pageMax)
  const wanted = search === null ? null : { name: search, cid: parseCid(search)?.bytes ?? noCid }
  const found = await rows.find(
    wanted === null
      ? listNewestPins(accountId, start, size + 1)
      : searchNewestPins(accountId, wanted, start, size + 1),
  )
  const [counted] = await rows.find(countPinsOf(accountId))
  const shown = found.slice(0, size)
  const last = shown.at(-1)
  return {
    pins: shown.map((row) => ({
      ...row,
      cid: CID.decode(row.cid).toString(),
      due: row.due !== null && row.due <= newDueMax ? 0 : row.due,
    })),
    next:
      found.length > size && last !== undefined
        ? `${last.created}-${CID.decode(last.cid).toString()}`
        : null,
    count: counted?.pins ?? 0,
  }
}

/** False: the account has not pinned exactly that CID. */
export async function setPinProvide(
  rows: Rows,
  pin: { readonly accountId: string; readonly cid: string; readonly provide: Provide },
): Promise<boolean> {
  const cid = parseCid(pin.cid)
  if (cid === null) return false
  try {
    await rows.write([setProvideOfPin(pin.accountId, cid.bytes, pin.provide)])
    return true
  } catch (error) {
    if (error instanceof NothingChanged) return false
    throw error
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
