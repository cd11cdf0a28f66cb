// `GET /accounts/{account}/files`: the pins of an account, newest first.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId, provide } from '../accounts/account-schema.ts'
import { time } from '../../time-schema.ts'

const input = z.strictObject({
  account: accountId,
  from: z.string().max(300).optional(),
  /** Part of the name, in any case, or a whole CID. */
  search: z.string().min(1).max(200).optional(),
  limit: z.coerce.number<number>().int().min(1).max(200).default(200),
})
const output = z.object({
  pins: z.array(
    z.object({
      cid: z.string(),
      mode: z.enum(['recursive', 'direct']),
      name: z.string(),
      created: time,
      /** All below it, each block once; null: it is still being counted. */
      bytes: z.int().nullable(),
      blocks: z.int().nullable(),
      /** Narrows the setting of the account. */
      provide,
      /** Last announcement of the root that a peer of the DHT stored; null: none, or the pin is private. */
      announcedAt: time.nullable(),
      /** Next announcement, 0: as soon as possible; null: the pin is private, or the server announces nothing. */
      announcesAt: time.nullable(),
    }),
  ),
  /** Send it as `from` for the next page; null: this was the last. */
  next: z.string().nullable(),
  /** All pins of the account, whatever was searched for. */
  count: z.int(),
  /** Stored bytes that count: each block of the account once. */
  stored: z.object({ blocks: z.int(), bytes: z.int() }),
})

export const listFiles = {
  id: 'listFiles',
  method: 'GET',
  path: '/accounts/{account}/files',
  role: 'member',
  summary: 'Pins of an account, newest first, or those with a name or CID, and its total storage.',
  input,
  output,
  async run({ account, from, search, limit }, { pins, accounts, server }) {
    const page = await pins.list(account, { from: from ?? null, search: search ?? null, limit })
    if (page === null) throw new Fault('bad_input', { detail: 'from: not a place in the list' })
    const { settings } = await accounts.getAccountById(account)
    const hasPlan = (await server?.announcements()) != null
    const listed = page.pins.map(({ announced, due, ...pin }) => {
      // Another account may announce the same root.
      const isPublic = settings.provide !== 'none' && pin.provide !== 'none' && due !== null
      return {
        ...pin,
        announcedAt: isPublic ? announced : null,
        announcesAt: isPublic && hasPlan ? due : null,
      }
    })
    return { pins: listed, next: page.next, count: page.count, stored: await pins.stored(account) }
  },
} satisfies JsonOperation<typeof input, typeof output>
