// `GET /storage`: storage per account, for operators.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({
  /** Accounts with stored content; `bytes`: each block of the account once. */
  accounts: z.array(
    z.object({ account: z.string(), pins: z.int(), blocks: z.int(), bytes: z.int() }),
  ),
  /** All blocks on the server: a block of several accounts counts once. */
  stored: z.object({ blocks: z.int(), bytes: z.int() }),
})

export const listStorage = {
  id: 'listStorage',
  method: 'GET',
  path: '/storage',
  role: 'operator',
  summary: 'Storage per account, and total disk usage.',
  input,
  output,
  async run(_input, { pins }) {
    const { accounts, stored } = await pins.storage()
    return { accounts: [...accounts], stored }
  },
} satisfies JsonOperation<typeof input, typeof output>
