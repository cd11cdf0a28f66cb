// `DELETE /denials?content=…`: removes an operator's rule. Deny lists of the settings still apply.
// Tested by test/files/deny.test.ts
import { z } from 'zod'
import { parseContentName } from '../../../ipfs-gateway/own-denials.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { content, denial } from './denial-schema.ts'

const input = z.strictObject({ content })

export const removeDenial = {
  id: 'removeDenial',
  method: 'DELETE',
  path: '/denials',
  role: 'operator',
  summary: 'Remove the rule of an operator about content; deny lists still apply.',
  input,
  output: denial,
  run: ({ content: name }, { denials }) => denials.remove(parseContentName(name).rule),
} satisfies JsonOperation<typeof input, typeof denial>
