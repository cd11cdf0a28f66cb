// `GET /usage/export`: the lines of `/usage/lines` as CSV.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { TextOperation } from '../../admin-operation.ts'
import { usageCsv } from './usage-csv.ts'
import { filterOf, linesQuery } from './usage-schema.ts'

const input = z.strictObject(linesQuery)

export const exportAllUsage = {
  id: 'exportAllUsage',
  method: 'GET',
  path: '/usage/export',
  role: 'operator',
  summary: 'What all accounts used by interval, key, network, method and outcome, as CSV.',
  form: 'text',
  input,

  async run({ key, span, since, until, ...filters }, { usage }) {
    const scope = key === undefined ? { all: true as const } : { keyId: key }
    const text = usageCsv(await usage.list(scope, span, since, until, filterOf(filters)))
    return { type: 'text/csv', fileName: 'usage.csv', text }
  },
} satisfies TextOperation<typeof input>
