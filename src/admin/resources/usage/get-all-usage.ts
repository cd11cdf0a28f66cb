// `GET /usage`: usage of all accounts in a window, and their storage.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { filterOf, periodOf, report, reportQuery, withNames } from './usage-schema.ts'

const input = z.strictObject(reportQuery)
const output = z.object({ report })

export const getAllUsage = {
  id: 'getAllUsage',
  method: 'GET',
  path: '/usage',
  role: 'operator',
  summary: 'What all accounts used in a window; the accounts are its `holders`.',

  input,
  output,
  async run(query, { accounts, usage }) {
    const names = new Map((await accounts.listAccounts()).map(({ id, name }) => [id, name]))
    const used = await usage.report({ all: true }, periodOf(query), query.by, filterOf(query))
    return { report: withNames(used, (id) => names.get(id) ?? '') }
  },
} satisfies JsonOperation<typeof input, typeof output>
