// `PATCH /accounts/{account}/keys/{key}`: name, expiry and settings of an API key; absent members stay unchanged.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { plans } from '../../../access/accounts/plans.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyState } from '../../audited-states.ts'
import { apiKey, keyChanges, keyOf, keyPath, planName } from './key-schema.ts'
import { time } from '../../time-schema.ts'

const input = z.strictObject({
  ...keyPath,
  name: z.string().max(64).optional(),
  /** Null: never. A past time expires the key now. */
  expires: time.nullable().optional(),
  /** Sets the plan's limits; `settings` take precedence. */
  plan: planName.optional(),
  settings: keyChanges.optional(),
})
const output = z.object({ key: apiKey })

export const changeKey = {
  id: 'changeKey',
  method: 'PATCH',
  path: '/accounts/{account}/keys/{key}',
  role: 'owner',
  summary: 'Change name, expiry, plan and settings of an API key; absent members stay unchanged.',
  input,
  output,
  state: keyState,
  async run({ account, key, name, expires, plan, settings }, { accounts }) {
    await keyOf(accounts, account, key)
    const changed = await accounts.changeKey(key, {
      ...(name === undefined ? {} : { name }),
      ...(expires === undefined ? {} : { expires }),
      settings: { ...(plan === undefined ? {} : plans[plan]), ...settings },
    })
    return { key: changed }
  },
} satisfies JsonOperation<typeof input, typeof output>
