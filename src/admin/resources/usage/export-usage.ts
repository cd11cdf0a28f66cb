// `GET /accounts/{account}/usage/export`: the lines of `…/usage/lines` as CSV.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { TextOperation } from '../../admin-operation.ts'
import { keyOf } from '../keys/key-schema.ts'
import { accountId } from '../accounts/account-schema.ts'
import { usageCsv } from './usage-csv.ts'
import { filterOf, linesQuery } from './usage-schema.ts'

const input = z.strictObject({ account: accountId, ...linesQuery })

export const exportUsage = {
  id: 'exportUsage',
  method: 'GET',
  path: '/accounts/{account}/usage/export',
  role: 'member',
  summary:
    'What an account, or one key of it, used by interval, key, network, method and outcome, as CSV.',
  form: 'text',
  input,

  async run({ account, key, span, since, until, ...filters }, { accounts, usage }) {
    const scope =
      key === undefined
        ? { accountId: account }
        : { keyId: (await keyOf(accounts, account, key)).id }
    const text = usageCsv(await usage.list(scope, span, since, until, filterOf(filters)))
    return { type: 'text/csv', fileName: 'usage.csv', text }
  },
} satisfies TextOperation<typeof input>
