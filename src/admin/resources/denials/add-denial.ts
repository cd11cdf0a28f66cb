// `POST /denials`: the gateway refuses the content from the next request on. For denied content, replaces status and reason.
// Tested by test/files/deny.test.ts
import { z } from 'zod'
import { parseContentName } from '../../../ipfs-gateway/own-denials.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { content, denial, status } from './denial-schema.ts'

const input = z.strictObject({
  content,
  status: status.default(410),
  reason: z.string().trim().max(500).default(''),
})

export const addDenial = {
  id: 'addDenial',
  method: 'POST',
  path: '/denials',
  role: 'operator',
  summary: 'Deny content to readers of the gateway.',
  input,
  output: denial,
  run: ({ content: name, status: code, reason }, { denials }) =>
    denials.put(parseContentName(name).rule, code, reason),
} satisfies JsonOperation<typeof input, typeof denial>
