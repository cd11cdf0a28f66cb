// `POST .../requests/{request}/replay`: a kept read once more, and what differs.
// Tested by test/inspector.test.ts
import { z } from 'zod'
import { withDeadline } from '../../../base/deadline.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { replayRequest as replay } from '../../replay-request.ts'
import { authorizeRole } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { inspectingOf, ofRequest, requestOf } from './inspected-schema.ts'

const input = z.strictObject({
  ...ofRequest,
  /** Which call of a batch, from 0. */
  call: z.int().min(0).default(0),
  /** A tag, a number as hex, or a hash, in place of the block that was asked for. */
  block: z.string().min(1).max(66).optional(),
  /** Ask this upstream alone; for operators. */
  upstream: z.string().min(1).max(256).optional(),
})
const answer = z.object({ outcome: z.string(), result: z.unknown().optional() })
const output = z.object({
  method: z.string(),
  params: z.array(z.unknown()).readonly(),
  verified: z.string().nullable(),
  block: z.object({ hash: z.string(), number: z.string() }).nullable(),
  units: z.number(),
  /** `result` is left out when it was not kept, or is too large. */
  before: answer,
  after: answer,
  /** By JSON pointer; null: one of the two is not there to be compared. */
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
  summary:
    'Runs a kept read again as its key, of another block or asked of one upstream, and compares.',
  input,
  output,
  // It changes nothing; what it costs is in the key's usage.
  audit: () => null,
  async run(asked, call) {
    if (asked.upstream !== undefined) authorizeRole('operator', null, call.actor)
    const inspecting = inspectingOf(call, asked)
    const request = requestOf(inspecting, asked.request)
    using deadline = withDeadline(call.signal, replayMs, call.clock)
    const { labels, ...rest } = await replay(
      inspecting,
      { caller: inspecting.caller, request },
      asked,
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
