// `GET /accounts/{account}/usage`: usage of an account in a window, and its storage.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { filterOf, periodOf, report, reportQuery, storage, withNames } from './usage-schema.ts'

const input = z.strictObject({ account: accountId, ...reportQuery })
const output = z.object({ report, storage })

export const getUsage = {
  id: 'getUsage',
  method: 'GET',
  path: '/accounts/{account}/usage',
  role: 'member',
  summary: 'Usage of an account in a window, with its keys as `holders`, and its storage.',

  input,
  output,
  async run({ account, ...query }, { accounts, usage }) {
    const names = await accounts.keyNames(account)
    const scope = { accountId: account }
    const used = await usage.report(scope, periodOf(query), query.by, filterOf(query))
    return {
      report: withNames(used, (id) => names.get(id) ?? ''),
      storage: await usage.storageOf(account),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
