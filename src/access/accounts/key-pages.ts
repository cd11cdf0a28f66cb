// Keys for listings: filtered, and read page by page.
// Tested by src/access/accounts/key-pages.test.ts, test/admin/admin-keys.test.ts
import type { Rows } from '../../db/rows.ts'
import {
  countKeysBy,
  type KeyFilter,
  type KeyPlace,
  listKeyNames,
  listKeyPage,
} from '../../tables/api-keys.ts'
import { toListedKey } from './stored-rows.ts'

/** An ApiKey of accounts.ts. */
type ListedKey = ReturnType<typeof toListedKey>

export type KeyPage = {
  /** Ordered by account and age. */
  readonly keys: readonly ListedKey[]
  /** Cursor of the next page; null: this is the last page. */
  readonly next: string | null
  /** Number of keys that match the filter. */
  readonly found: number
}

/** `from`: cursor, `next` of the previous page; null: first page. `limit`: null for all. Returns null if `from` is not a cursor. */
export async function readKeyPage(
  rows: Rows,
  filter: KeyFilter,
  { from, limit }: { readonly from: string | null; readonly limit: number | null },
): Promise<KeyPage | null> {
  const after = from === null ? null : parsePlace(from)
  if (from !== null && after === null) return null
  const [[counted], found] = await rows.snapshot([
    countKeysBy(filter),
    listKeyPage(filter, after, limit === null ? null : limit + 1),
  ])
  const keys = found.slice(0, limit ?? found.length).map(toListedKey)
  const last = keys.at(-1)
  return {
    keys,
    next: found.length > keys.length && last !== undefined ? textOf(last) : null,
    found: counted?.keys ?? 0,
  }
}

/** Names of an account's keys by ID; the prefix of a key without a name. */
export async function readKeyNames(
  rows: Rows,
  accountId: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await rows.find(listKeyNames(accountId))
  return new Map(found.map(({ id, name, prefix }) => [id, name === '' ? `${prefix}…` : name]))
}

function textOf({ accountName, created, id }: ListedKey): string {
  return Buffer.from(JSON.stringify([accountName, created, id])).toString('base64url')
}

function parsePlace(text: string): KeyPlace | null {
  try {
    const place = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown
    if (!Array.isArray(place) || place.length !== 3) return null
    const [account, created, id] = place as readonly unknown[]
    const isPlace =
      typeof account === 'string' && Number.isSafeInteger(created) && typeof id === 'string'
    return isPlace ? [account, created as number, id] : null
  } catch {
    return null
  }
}
