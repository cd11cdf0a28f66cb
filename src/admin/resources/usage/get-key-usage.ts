// `GET /accounts/{account}/keys/{key}/usage`: usage of one API key in a window.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyOf, keyPath } from '../keys/key-schema.ts'
import { filterOf, periodOf, report, reportQuery, withNames } from './usage-schema.ts'

const input = z.strictObject({ ...keyPath, ...reportQuery })
const output = z.object({ report })

export const getKeyUsage = {
  id: 'getKeyUsage',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}/usage',
  role: 'member',
  summary: 'What one API key used in a window.',

  input,
  output,
  async run({ account, key, ...query }, { accounts, usage }) {
    const { id } = await keyOf(accounts, account, key)
    const used = await usage.report({ keyId: id }, periodOf(query), query.by, filterOf(query))
    return { report: withNames(used, () => '') }
  },
} satisfies JsonOperation<typeof input, typeof output>
