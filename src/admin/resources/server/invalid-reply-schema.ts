// Schema of an invalid reply of an upstream, with its evidence.
// Tested by test/admin/status.test.ts
import { z } from 'zod'
import type { ListedInvalidReply } from '../../../tables/invalid-replies.ts'

export const invalidReply = z.object({
  id: z.int(),
  /** Milliseconds since 1970 UTC. */
  time: z.int(),
  network: z.string(),
  upstream: z.string(),
  method: z.string(),
  /** JSON texts of request and reply without secrets, truncated to 4,096 characters. */
  params: z.string(),
  response: z.string(),
  /** The values that differ: in the block and in the reply. */
  expected: z.string(),
  computed: z.string(),
  /** Hash of the block, `0x` hex. */
  block: z.string().nullable(),
})

const shownMax = 4_096

export function shownReply(reply: ListedInvalidReply): z.output<typeof invalidReply> {
  return { ...reply, params: cut(reply.params), response: cut(reply.response) }
}

function cut(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}
