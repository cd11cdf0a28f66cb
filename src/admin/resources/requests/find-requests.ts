// `GET /accounts/{account}/requests`: recorded requests by the request ID of their reply, of all keys of an account.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keyId } from '../keys/key-schema.ts'
import { absentInspector, inspectedRow, withoutUpstreams } from './inspected-schema.ts'

/** Keys with inspection that are searched, the oldest first. */
const keysMax = 50
/** A request ID of the client may be that of several requests. */
const foundMax = 20

const input = z.strictObject({
  account: accountId,
  /** As in `x-request-id` of the reply. */
  requestId: z.string().min(1).max(64),
})
const output = z.object({
  /** The newest first, at most 20. */
  requests: z.array(inspectedRow.extend({ key: keyId })).readonly(),
})

export const findRequests = {
  id: 'findRequests',
  method: 'GET',
  path: '/accounts/{account}/requests',
  role: 'member',
  summary: 'The recorded requests with a request ID, of the first 50 inspected keys of an account.',
  input,
  output,
  async run({ account, requestId }, call) {
    const { inspecting, accounts, clock } = call
    if (inspecting === null) throw absentInspector()
    const state = { active: true, at: clock.now() }
    const filter = { accountIds: [account], ids: null, search: null, state }
    const page = await accounts.keyPage(filter, { from: null, limit: null })
    const keys = (page?.keys ?? []).filter(({ settings }) => settings.inspect).slice(0, keysMax)
    const found = await Promise.all(
      keys.map(async ({ id }) => await inspecting.inspector.list(id, { requestId }, foundMax)),
    )
    const requests = found
      .flat()
      .toSorted((one, other) => other.id - one.id)
      .slice(0, foundMax)
      .map((request) => ({ ...withoutUpstreams(request, call), key: request.keyId }))
    return { requests }
  },
} satisfies JsonOperation<typeof input, typeof output>
