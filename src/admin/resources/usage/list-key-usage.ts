// `GET /accounts/{account}/key-usage`: calls, units and last use of each key, for lists of keys.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { ApiKey } from '../../../access/accounts/accounts.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { time } from '../../time-schema.ts'

const count = z.number().min(0)

/** Keys that one statement looks up. */
const idsAtOnce = 500

const input = z.strictObject({ account: accountId })
const output = z.object({
  /** Keys with usage, unordered. */
  keys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Up to 8 characters of the key, for identification. */
      prefix: z.string(),
      revoked: time.nullable(),
      expires: time.nullable(),
      /** Limit of the key; null: none. */
      unitsPerDay: z.int().nullable(),
      /** Of the last 24 hours, and how many of them failed. */
      requests: count,
      failed: count,
      /** In the current UTC day. */
      unitsToday: count,
      /** Milliseconds since 1970; exact to the minute within the last hour, else to the hour. */
      lastUsed: z.int().nullable(),
      /** Calls per hour, current hour last; null: the account has too many keys. */
      hours: z.array(count).nullable(),
    }),
  ),
})

export const listKeyUsage = {
  id: 'listKeyUsage',
  method: 'GET',
  path: '/accounts/{account}/key-usage',
  role: 'member',
  summary: 'Calls, units and last use of each key of an account in the last 24 hours.',
  input,
  output,
  async run({ account }, { usage, accounts }) {
    const used = await usage.listKeys(account)
    const known = new Map<string, ApiKey>()
    for (let at = 0; at < used.length; at += idsAtOnce) {
      const ids = used.slice(at, at + idsAtOnce).map(({ id }) => id)
      const filter = { accountIds: [account], ids, search: null, state: null }
      const page = await accounts.keyPage(filter, { from: null, limit: null })
      for (const key of page?.keys ?? []) known.set(key.id, key)
    }
    return {
      keys: used.flatMap(({ hours, ...sums }) => {
        const key = known.get(sums.id)
        if (key === undefined) return []
        const { name, prefix, revoked, expires, settings } = key
        const about = { name, prefix, revoked, expires, unitsPerDay: settings.unitsPerDay }
        return [{ ...sums, ...about, hours: hours && [...hours] }]
      }),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
