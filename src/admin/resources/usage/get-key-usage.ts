// `GET /accounts/{account}/keys/{key}/usage`: usage of one API key in a window.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyOf, keyPath } from '../keys/key-schema.ts'
import { report, reportQuery, withNames } from './usage-schema.ts'

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
  async run({ account, key, window, by }, { accounts, usage }) {
    const { id } = await keyOf(accounts, account, key)
    return { report: withNames(await usage.report({ keyId: id }, window, by), () => '') }
  },
} satisfies JsonOperation<typeof input, typeof output>
