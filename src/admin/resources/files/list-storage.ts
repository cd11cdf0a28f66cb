// `GET /storage`: who stores what, for operators.
// Tested by test/admin-files.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({
  /** Those that keep something; `bytes`: each block of the account once. */
  accounts: z.array(
    z.object({ account: z.string(), pins: z.int(), blocks: z.int(), bytes: z.int() }),
  ),
  /** All blocks of the server as they are stored: what several accounts keep is there once. */
  stored: z.object({ blocks: z.int(), bytes: z.int() }),
})

export const listStorage = {
  id: 'listStorage',
  method: 'GET',
  path: '/storage',
  role: 'operator',
  summary: 'Who stores what, and what all of it takes on disk.',
  input,
  output,
  run(_input, { pins }) {
    const { accounts, stored } = pins.storage()
    return { accounts: [...accounts], stored }
  },
} satisfies JsonOperation<typeof input, typeof output>
