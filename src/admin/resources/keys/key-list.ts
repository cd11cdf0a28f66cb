// Input of lists of API keys, and the page that it asks for. Without `limit` the list has all keys.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { AdminContext } from '../../admin-operation.ts'
import { apiKey } from './key-schema.ts'

const idsMax = 100

export const keyListInput = {
  /** Part of the name, case-insensitive; or the start of the prefix; or the ID. */
  search: z.string().min(1).max(200).optional(),
  /** `active`: neither revoked nor expired. */
  state: z.enum(['active', 'inactive']).optional(),
  /** Up to 100 IDs, separated by commas: keys with one of them. */
  ids: z.string().min(1).max(13_000).optional(),
  /** `next` of the previous page. */
  from: z.string().max(2_000).optional(),
  /** Maximum number of keys; absent: all. */
  limit: z.coerce.number<number>().int().min(1).max(1000).optional(),
}

export const keyListOutput = {
  /** Ordered by account and age. */
  keys: z.array(apiKey),
  /** The `from` of the next page; null: this is the last. */
  next: z.string().nullable(),
  /** Number of keys that match `search`, `state` and `ids`. */
  found: z.int(),
}

const input = z.object(keyListInput)
const output = z.object(keyListOutput)

/** `accountIds`: null for all accounts. */
export async function listKeyPage(
  accountIds: readonly string[] | null,
  { search, state, ids: listed, from, limit }: z.infer<typeof input>,
  { accounts, clock }: Pick<AdminContext, 'accounts' | 'clock'>,
): Promise<z.infer<typeof output>> {
  const ids = listed?.split(',') ?? null
  if (ids !== null && ids.length > idsMax) {
    throw new Fault('bad_input', {
      detail: `ids: ${ids.length} IDs, expected at most ${idsMax}`,
      data: { field: 'ids' },
    })
  }
  const filter = {
    accountIds,
    ids,
    search: search ?? null,
    state: state === undefined ? null : { active: state === 'active', at: clock.now() },
  }
  const page = await accounts.keyPage(filter, { from: from ?? null, limit: limit ?? null })
  if (page === null) {
    throw new Fault('bad_input', {
      detail: 'from: not a place in the list',
      data: { field: 'from' },
    })
  }
  return { ...page, keys: [...page.keys] }
}
