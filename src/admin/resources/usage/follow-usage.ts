// `GET /accounts/{account}/usage/live`: live usage of an account, one event per second.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { EventsOperation } from '../../admin-operation.ts'
import { Fault } from '../../../base/fault.ts'
import { keyOf } from '../keys/key-schema.ts'
import { accountId } from '../accounts/account-schema.ts'
import { second } from './usage-schema.ts'

const input = z.strictObject({ account: accountId, key: z.string().max(128).optional() })
const output = second

export const followUsage = {
  id: 'followUsage',
  method: 'GET',
  path: '/accounts/{account}/usage/live',
  role: 'member',
  summary:
    'Live usage of an account or one of its keys, per second; no event for seconds without a call.',
  form: 'events',
  input,
  output,
  async run({ account, key }, { accounts, usage, signal }) {
    const scope =
      key === undefined
        ? { accountId: account }
        : { keyId: (await keyOf(accounts, account, key)).id }
    if (usage.follow === null) throw new Fault('no_upstream', { detail: 'no server runs here' })
    return usage.follow(scope, signal)
  },
} satisfies EventsOperation<typeof input, typeof output>
