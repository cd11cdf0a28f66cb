// The pins of one account as a page shows them: the newest first, a piece at a time, with what each comes to.
// Tested by test/admin/admin-files.test.ts
import { CID } from 'multiformats/cid'
import type { Provide } from '../../base/provide.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import { listNewestPins } from '../../tables/pins.ts'
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
    pins: shown.map((row) => ({
      ...row,
      cid: CID.decode(row.cid).toString(),
      due: row.due !== null && row.due <= newDueMax ? 0 : row.due,
    })),
    next:
      found.length > pageMax && last !== undefined
        ? `${last.created}-${CID.decode(last.cid).toString()}`
        : null,
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
