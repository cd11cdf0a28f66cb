// `DELETE .../requests`: deletes the recorded requests of a key.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { inspectingOf } from './inspected-schema.ts'
import { keyPath } from '../keys/key-schema.ts'

const input = z.strictObject(keyPath)
const output = z.object({})

export const clearRequests = {
  id: 'clearRequests',
  method: 'DELETE',
  path: '/accounts/{account}/keys/{key}/requests',
  role: 'member',
  summary: 'Delete the recorded requests of a key.',
  input,
  output,
  async run(query, call) {
    const { inspector, caller } = await inspectingOf(call, query)
    inspector.clear(caller.keyId)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
