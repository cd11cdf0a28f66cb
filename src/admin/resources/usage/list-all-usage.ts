// `GET /usage/lines`: usage rows of all accounts, and their storage.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { filterOf, line, linesQuery } from './usage-schema.ts'

const input = z.strictObject(linesQuery)
const output = z.object({
  lines: z.array(line),
  storage: z.object({
    accounts: z.array(
      z.object({
        accountId: z.string(),
        account: z.string(),
        pins: z.int(),
        blocks: z.int(),
        bytes: z.int(),
        logicalBytes: z.int(),
      }),
    ),
    stored: z.object({ blocks: z.int(), bytes: z.int() }),
  }),
})

export const listAllUsage = {
  id: 'listAllUsage',
  method: 'GET',
  path: '/usage/lines',
  role: 'operator',
  summary:
    'Usage of all accounts by interval, key, network, method and outcome, and their storage.',

  input,
  output,
  async run({ key, span, since, until, ...filters }, { usage, pins }) {
    const scope = key === undefined ? { all: true as const } : { keyId: key }
    const { accounts, stored } = await pins.storage()
    return {
      lines: [...(await usage.list(scope, span, since, until, filterOf(filters)))],
      storage: { accounts: [...accounts], stored },
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
