// Schemas of denied content.
// Tested by test/files/deny.test.ts
import { z } from 'zod'
import { time } from '../../time-schema.ts'

/** `<cid>`, `/ipfs/<cid>/path`, `ipfs://<cid>/path`, or the URL of a gateway. */
export const content = z.string().min(1).max(4096)

/** Status of the reply: 410, or 451 for a legal reason. */
export const status = z.union([z.literal(410), z.literal(451)])

export const denial = z.object({
  /** `/ipfs/<cid>` or `/ipfs/<cid>/path`, as in a deny list. */
  rule: z.string(),
  status,
  reason: z.string(),
  created: time,
})
