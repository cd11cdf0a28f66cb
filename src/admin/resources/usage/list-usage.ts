// `GET /accounts/{account}/usage/lines`: usage rows of an account, as an export in JSON.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyOf } from '../keys/key-schema.ts'
import { accountId } from '../accounts/account-schema.ts'
import { filterOf, line, linesQuery } from './usage-schema.ts'

const input = z.strictObject({ account: accountId, ...linesQuery })
const output = z.object({ lines: z.array(line) })

export const listUsage = {
  id: 'listUsage',
  method: 'GET',
  path: '/accounts/{account}/usage/lines',
  role: 'member',
  summary: 'What an account, or one key of it, used by interval, key, network, method and outcome.',

  input,
  output,
  async run({ account, key, span, since, until, ...filters }, { accounts, usage }) {
    const scope =
      key === undefined
        ? { accountId: account }
        : { keyId: (await keyOf(accounts, account, key)).id }
    return { lines: [...(await usage.list(scope, span, since, until, filterOf(filters)))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
