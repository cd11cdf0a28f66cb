// `GET /invalid-replies`: replies of upstreams that contradict the hash of their block, with the evidence, in pages.
// Tested by test/admin/status.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from './get-status.ts'
import { invalidReply, shownReply } from './invalid-reply-schema.ts'

const nameMax = 100

const input = z
  .strictObject({
    /** Give both or neither. */
    network: z.string().max(nameMax).optional(),
    upstream: z.string().max(nameMax).optional(),
    /** An ID: returns older ones. */
    before: z.coerce.number<number>().int().min(1).default(Number.MAX_SAFE_INTEGER),
    limit: z.coerce.number<number>().int().min(1).max(50).default(20),
  })
  .refine(({ network, upstream }) => (network === undefined) === (upstream === undefined), {
    message: 'expected network and upstream, or neither',
    path: ['upstream'],
  })
const output = z.object({
  /** Newest first; the server stores the last 1,000. */
  replies: z.array(invalidReply),
  /** Counts of all stored ones, by upstream. `last`: milliseconds since 1970 UTC. */
  counts: z.array(
    z.object({ network: z.string(), upstream: z.string(), count: z.int(), last: z.int() }),
  ),
})

export const listInvalidReplies = {
  id: 'listInvalidReplies',
  method: 'GET',
  path: '/invalid-replies',
  role: 'operator',
  summary: 'Invalid replies of upstreams with their evidence, newest first.',
  input,
  output,
  async run({ network, upstream, ...page }, { server }) {
    if (server === null) throw noServer()
    const of = network === undefined || upstream === undefined ? null : { network, upstream }
    const replies = await server.invalidReplies({ of, ...page })
    const counts = await server.invalidReplyCounts()
    return {
      replies: replies.map(shownReply),
      counts: counts.map(({ lies, ...rest }) => ({ ...rest, count: lies })),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
