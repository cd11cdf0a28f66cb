// `DELETE /accounts/{account}/pin-requests/{request}`: cancels a request to pin content, and removes its pin if it has one.
// Tested by test/admin/admin-pin-requests.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'

const input = z.strictObject({ account: accountId, request: z.string().max(100) })
const output = z.object({})

export const removePinRequest = {
  id: 'removePinRequest',
  method: 'DELETE',
  path: '/accounts/{account}/pin-requests/{request}',
  role: 'owner',
  summary: 'Cancel a request to pin content; its pin, if any, is removed.',
  input,
  output,
  async run({ account, request }, { pinRequests }) {
    await pinRequests.remove(account, request)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
