// `GET /accounts/{account}/files`: the pins of an account, filtered and ordered.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import type { AnnouncementFilter } from '../../../tables/pins.ts'
import { Fault } from '../../../base/fault.ts'
import { fileTypeNames } from '../../../base/file-types.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keyId } from '../keys/key-schema.ts'
import { listedPin, toListedPin } from './pin-schema.ts'

const input = z.strictObject({
  account: accountId,
  /** `next` of the previous page, with the same order. */
  from: z.string().max(1_600).optional(),
  /** Part of the name, case-insensitive; or a CID, or at least its first nine characters. */
  search: z.string().min(1).max(200).optional(),
  /** By extension of the name; `other`: no known extension, such as folders. */
  type: z.enum(fileTypeNames).optional(),
  /** Of the root: `announced` at least once, `waiting` for the first time, `none`: private, or the server announces nothing. */
  announcement: z.enum(['announced', 'waiting', 'none']).optional(),
  /** Added by this key; pins of versions before 0.2 have none. */
  key: keyId.optional(),
  sort: z.enum(['created', 'name', 'size']).default('created'),
  /** Absent: newest, largest, or first name first. */
  order: z.enum(['asc', 'desc']).optional(),
  limit: z.coerce.number<number>().int().min(1).max(200).default(200),
})
const output = z.object({
  pins: z.array(listedPin),
  /** The server announces public pins on the IPFS network. */
  announces: z.boolean(),
  /** The `from` of the next page; null: this is the last. */
  next: z.string().nullable(),
  /** Number of pins that match `search`, `type`, `announcement` and `key`. */
  found: z.int(),
  /** Number of all pins of the account, independent of the search. */
  count: z.int(),
  /** Bytes charged to the account: each of its blocks once. */
  stored: z.object({ blocks: z.int(), bytes: z.int() }),
})

type State = AnnouncementFilter['states'][number]

/** Without a plan none waits. */
const states: readonly State[] = ['announced', 'waiting']

/** `possible`: states that pins of the account can be in. */
function filterOf(
  wanted: z.infer<typeof input>['announcement'],
  possible: readonly State[],
): AnnouncementFilter | null {
  if (wanted === undefined) return null
  if (wanted === 'none') return { states: possible, not: true }
  return { states: possible.filter((state) => state === wanted), not: false }
}

export const listFiles = {
  id: 'listFiles',
  method: 'GET',
  path: '/accounts/{account}/files',
  role: 'member',
  summary:
    'Pins of an account by name, CID, type, announcement or key, in an order, and its total storage.',
  input,
  output,
  async run({ account, limit, sort, ...query }, { pins, accounts, server }) {
    const { settings } = await accounts.getAccountById(account)
    const hasPlan = (await server?.announcements()) != null
    const isOpen = settings.provide !== 'none'
    const possible = isOpen ? (hasPlan ? states : states.slice(0, 1)) : []
    const page = await pins.list(account, {
      from: query.from ?? null,
      search: query.search ?? null,
      type: query.type ?? null,
      announcement: filterOf(query.announcement, possible),
      keyId: query.key ?? null,
      order: { by: sort, down: (query.order ?? (sort === 'name' ? 'asc' : 'desc')) === 'desc' },
      limit,
    })
    if (page === null) throw new Fault('bad_input', { detail: 'from: not a place in the list' })
    const listed = page.pins.map((pin) => toListedPin(pin, { isOpen, hasPlan }))
    return { ...page, pins: listed, announces: hasPlan, stored: await pins.stored(account) }
  },
} satisfies JsonOperation<typeof input, typeof output>
