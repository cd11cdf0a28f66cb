// `GET /denials/check?content=…`: whether the gateway denies content, and by which rule.
// Tested by test/files/deny.test.ts
import { z } from 'zod'
import { parseContentName } from '../../../ipfs-gateway/own-denials.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { content, status } from './denial-schema.ts'

const input = z.strictObject({ content })
const output = z.object({
  denied: z.boolean(),
  /** Null: not denied. */
  status: status.nullable(),
  /** Rule of an operator; null: a deny list decides, or no rule matches the content. */
  rule: z.string().nullable(),
  /** Deny list and line, from 1; null: an operator's rule decides, or no rule matches the content. */
  file: z.string().nullable(),
  line: z.int().nullable(),
})

export const checkDenial = {
  id: 'checkDenial',
  method: 'GET',
  path: '/denials/check',
  role: 'operator',
  summary: 'Whether the gateway denies content, and by which rule.',
  input,
  output,
  async run({ content: name }, { denials }) {
    const { root, segments } = parseContentName(name)
    const decision = await denials.decide(root, segments)
    const { status: code = null, rule = null, file = null, line = null } = decision ?? {}
    return { denied: code !== null, status: code, rule, file, line }
  },
} satisfies JsonOperation<typeof input, typeof output>
