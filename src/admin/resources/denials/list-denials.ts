// `GET /denials`: content that operators deny, oldest first. Excludes the deny lists of the settings, which are files.
// Tested by test/files/deny.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { denial } from './denial-schema.ts'

const input = z.strictObject({})
const output = z.object({ denials: z.array(denial) })

export const listDenials = {
  id: 'listDenials',
  method: 'GET',
  path: '/denials',
  role: 'operator',
  summary: 'Content that operators deny to readers of the gateway, the oldest first.',
  input,
  output,
  run: async (_input, { denials }) => ({ denials: [...(await denials.list())] }),
} satisfies JsonOperation<typeof input, typeof output>
