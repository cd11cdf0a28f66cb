// The pins of one account for listings: filtered, sorted and paged, with the size of each.
// Tested by src/ipfs/pins/pin-list.test.ts, test/admin/admin-files.test.ts
import { CID } from 'multiformats/cid'
import { endingsOf, type FileType } from '../../base/file-types.ts'
import type { Provide } from '../../base/provide.ts'
import { cidRange } from '../../codec/ipld/cid-range.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import {
  type AnnouncementFilter,
  countPinsBy,
  countPinsOf,
  type DatedPinRow,
  findDatedPin,
  listPinPage,
  type PinOrder,
  setOriginOfPin,
} from '../../tables/pins.ts'
import { advanceDue, newDueMax } from '../../tables/network/provide.ts'
import { setProvideOfPin } from '../../tables/network/public-blocks.ts'
import type { PinMode } from '../files.ts'

export type ListedPin = {
  readonly cid: string
  readonly mode: PinMode
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
  /** Size of all blocks below it, each once, framing included; null: not counted yet. */
  readonly bytes: number | null
  readonly blocks: number | null
  /** Level of this pin; it can only narrow the account's setting. */
  readonly provide: Provide
  /** The API key that added the pin; null: unknown. */
  readonly keyId: string | null
  /** Last and next announcement of the root; 0: the first one is pending; null: none, or no account makes the root public. */
  readonly announced: number | null
  readonly due: number | null
}

export type PinPage = {
  readonly pins: readonly ListedPin[]
  /** Cursor of the next page; null: this is the last page. */
  readonly next: string | null
  /** Number of pins that match the filter. */
  readonly found: number
  /** All pins of the account. */
  readonly count: number
}

export type PinPageRequest = {
  /** Cursor: `next` of the previous page, in the same order; null: first page. */
  readonly from: string | null
  /** A part of the name in any letter case, a CID, or at least its nine first characters; null: all pins. */
  readonly search: string | null
  /** By the file extension of the name; null: all. */
  readonly type: FileType | null
  /** By the announcement of the root; null: all. */
  readonly announcement: AnnouncementFilter | null
  /** The API key that added the pin; null: any. */
  readonly keyId: string | null
  readonly order: PinOrder
  readonly limit: number
}

/** Changes of a pin; undefined: unchanged. `created`: milliseconds since 1970 UTC. `keyId`: the key that added it. */
export type PinChange = {
  readonly provide?: Provide | undefined
  readonly created?: number | undefined
  readonly keyId?: string | undefined
}

const pageMax = 200

/** Returns null if `from` is not a cursor of this order. */
export async function listPins(
  rows: Rows,
  accountId: string,
  { from, search, type, announcement, keyId, order, limit }: PinPageRequest,
): Promise<PinPage | null> {
  const after = from === null ? null : parsePlace(from, order)
  if (from !== null && after === null) return null
  const size = Math.min(limit, pageMax)
  const filter = {
    search: search === null ? null : { name: search, cids: cidRange(search) },
    endings: type === null ? null : endingsOf(type),
    announcement,
    keyId,
  }
  const [found, [counted]] = await rows.snapshot([
    listPinPage(accountId, filter, order, { after, limit: size + 1 }),
    countPinsOf(accountId),
  ])
  const isFiltered = [search, type, announcement, keyId].some((value) => value !== null)
  const matching = isFiltered ? await rows.first(countPinsBy(accountId, filter)) : counted
  const shown = found.slice(0, size)
  const last = shown.at(-1)
  return {
    pins: shown.map(({ place: _place, ...row }) => toListed(row)),
    next: found.length > size && last !== undefined ? textOf(last) : null,
    found: matching?.pins ?? 0,
    count: counted?.pins ?? 0,
  }
}

/** Returns null if the account has not pinned this exact CID. */
export async function findListedPin(
  rows: Rows,
  accountId: string,
  cid: string,
): Promise<ListedPin | null> {
  const bytes = parseCid(cid)?.bytes
  const row = bytes === undefined ? null : await rows.first(findDatedPin(accountId, bytes))
  return row === null ? null : toListed(row)
}

function toListed({ key_id: keyId, ...row }: Omit<DatedPinRow, 'place'>): ListedPin {
  return {
    ...row,
    keyId,
    cid: CID.decode(row.cid).toString(),
    due: row.due !== null && row.due <= newDueMax ? 0 : row.due,
  }
}

/** Returns false if the account has not pinned this exact CID. */
export async function changePin(
  rows: Rows,
  pin: { readonly accountId: string; readonly cid: string },
  { provide, ...origin }: PinChange,
): Promise<boolean> {
  const cid = parseCid(pin.cid)
  if (cid === null) return false
  try {
    await rows.write([
      ...(provide === undefined ? [] : [setProvideOfPin(pin.accountId, cid.bytes, provide)]),
      ...(origin.created === undefined && origin.keyId === undefined
        ? []
        : [setOriginOfPin(pin.accountId, cid.bytes, origin)]),
    ])
    return true
  } catch (error) {
    if (error instanceof NothingChanged) return false
    throw error
  }
}

/** An announcement that is due within this time is not made due at once. */
const soonMs = 60_000

/**
 * Makes the next announcement of a CID due at `now`. False: none is planned, it is due within a minute, or the last one failed and is
 * tried again at its own time.
 */
export async function announceNow(rows: Rows, cid: string, now: number): Promise<boolean> {
  const multihash = parseCid(cid)?.multihash.bytes
  if (multihash === undefined) return false
  const [changed] = await rows.write([advanceDue(multihash, now, now + soonMs)])
  return changed === 1
}

function textOf({ place, cid }: DatedPinRow): string {
  const value = typeof place === 'number' ? String(place) : Buffer.from(place).toString('base64url')
  return `${value}-${CID.decode(cid).toString()}`
}

function parsePlace(
  text: string,
  { by }: PinOrder,
): readonly [value: number | string, cid: Uint8Array] | null {
  const [, value = '', cid = ''] = /^([\w-]{0,1400})-([A-Za-z0-9]{1,200})$/.exec(text) ?? []
  const isNumber = by !== 'name'
  if (isNumber && !/^-?\d{1,15}$/.test(value)) return null
  try {
    const { bytes } = CID.parse(cid)
    return [isNumber ? Number(value) : Buffer.from(value, 'base64url').toString(), bytes]
  } catch {
    return null
  }
}
