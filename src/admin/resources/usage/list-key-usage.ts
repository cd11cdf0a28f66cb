// `GET /accounts/{account}/key-usage`: calls, units and last use of each key, for lists of keys.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'

const count = z.number().min(0)

const input = z.strictObject({ account: accountId })
const output = z.object({
  /** Keys with usage, unordered. */
  keys: z.array(
    z.object({
      id: z.string(),
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
  async run({ account }, { usage }) {
    const keys = await usage.listKeys(account)
    return { keys: keys.map(({ hours, ...key }) => ({ ...key, hours: hours && [...hours] })) }
  },
} satisfies JsonOperation<typeof input, typeof output>
