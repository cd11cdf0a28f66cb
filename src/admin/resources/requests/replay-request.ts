// `POST .../requests/{request}/replay`: replays a recorded read and compares the results.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import { withDeadline } from '../../../base/deadline.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { replayRequest as replay } from '../../replay-request.ts'
import { authorizeRole } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { inspectingOf, ofRequest, requestOf } from './inspected-schema.ts'

const input = z.strictObject({
  ...ofRequest,
  /** Index of the call in a batch, from 0. */
  call: z.int().min(0).default(0),
  /** A tag, a number as hex, or a hash that replaces the requested block. */
  block: z.string().min(1).max(66).optional(),
  /** Query only this upstream; for operators. */
  upstream: z.string().min(1).max(256).optional(),
})
const answer = z.object({ outcome: z.string(), result: z.unknown().optional() })
const output = z.object({
  method: z.string(),
  params: z.array(z.unknown()).readonly(),
  verified: z.string().nullable(),
  block: z.object({ hash: z.string(), number: z.string() }).nullable(),
  units: z.number(),
  /** `result` is absent if it was not recorded or is too large. */
  before: answer,
  after: answer,
  /** By JSON pointer; null: one of the two results is missing. */
  differences: z
    .array(
      z.object({
        at: z.string(),
        before: z.unknown().optional(),
        after: z.unknown().optional(),
      }),
    )
    .readonly()
    .nullable(),
  differencesLeft: z.int(),
})

const replayMs = 30_000

export const replayRequest = {
  id: 'replayRequest',
  method: 'POST',
  path: '/accounts/{account}/keys/{key}/requests/{request}/replay',
  role: 'member',
  summary: 'Replay a recorded read as its key, at another block or from one upstream, and compare.',
  input,
  output,
  // A replay changes no data; its price counts in the key's usage.
  audit: () => null,
  async run(query, call) {
    if (query.upstream !== undefined) authorizeRole('operator', null, call.actor)
    const inspecting = await inspectingOf(call, query)
    const request = await requestOf(inspecting, query.request)
    using deadline = withDeadline(call.signal, replayMs, call.clock)
    const { labels, ...rest } = await replay(
      inspecting,
      { caller: inspecting.caller, request },
      query,
      deadline.signal,
    )
    const { block, blockNumber, verified, units } = labels
    const shown =
      block === null || blockNumber === null
        ? null
        : { hash: toHex(block), number: toQuantity(blockNumber) }
    return { ...rest, verified, block: shown, units }
  },
} satisfies JsonOperation<typeof input, typeof output>
