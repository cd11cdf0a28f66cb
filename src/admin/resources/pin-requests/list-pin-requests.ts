// `GET /accounts/{account}/pin-requests`: pin requests that are queued, running or failed, newest first.
// Tested by test/admin/admin-pin-requests.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { time } from '../../time-schema.ts'
import { accountId } from '../accounts/account-schema.ts'

const input = z.strictObject({
  account: accountId,
  before: z.coerce.number().int().min(0).optional(),
})
const output = z.object({
  requests: z.array(
    z.object({
      id: z.string(),
      cid: z.string(),
      name: z.string(),
      status: z.enum(['queued', 'pinning', 'failed']),
      created: time,
      tries: z.int(),
      /** Time of the next attempt of a queued request. */
      due: time,
      /** Why the last attempt failed. */
      error: z.string().nullable(),
      /** Blocks that the running attempt has read. */
      blocks: z.int(),
      bytes: z.int(),
    }),
  ),
  /** Number of requests on this and all following pages. */
  count: z.int(),
})

const pageMax = 100
const statuses = ['queued', 'pinning', 'failed'] as const

export const listPinRequests = {
  id: 'listPinRequests',
  method: 'GET',
  path: '/accounts/{account}/pin-requests',
  role: 'member',
  summary:
    'Requests to pin content that are not pinned, newest first. `before`: the time of the last one of the previous page.',
  input,
  output,
  async run({ account, before }, { pinRequests }) {
    const filter = { cids: [], statuses, name: null, before: before ?? null, after: null, meta: [] }
    const { requests, count } = await pinRequests.list(account, filter, pageMax)
    const shown = requests.flatMap(({ cid, status, ...request }) =>
      status === 'pinned' ? [] : [{ ...request, status, cid: cid.toString() }],
    )
    return { requests: shown, count }
  },
} satisfies JsonOperation<typeof input, typeof output>
