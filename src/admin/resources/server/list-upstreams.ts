// `GET /upstreams`: health of each upstream, its calls of the last 24 hours, and the newest invalid replies.
// Tested by test/admin/status.test.ts
import { z } from 'zod'
import { historyIntervalMs, historySlots } from '../../../chain/upstream/node/call-history.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from './get-status.ts'
import { invalidReply, shownReply } from './invalid-reply-schema.ts'

const liesMax = 200

const input = z.strictObject({
  /** Number of invalid replies to return, newest first. */
  lies: z.coerce.number<number>().int().min(0).max(liesMax).default(50),
})
const output = z.object({
  upstreams: z.array(
    z.object({
      network: z.string(),
      name: z.string(),
      /** Scheme, host and port. */
      url: z.string(),
      trusted: z.boolean(),
      state: z.enum(['ok', 'open', 'quarantined', 'cordoned', 'wrong-chain']),
      /**
       * Milliseconds until a quarantined or cordoned upstream receives calls again; 0: now, after its replies are compared with
       * those of others; null: in any other state.
       */
      leftMs: z.number().nullable(),
      p50Ms: z.number().nullable(),
      p95Ms: z.number().nullable(),
      successRate: z.number(),
      /** Decimal. */
      head: z.string().nullable(),
      /** Whether it pushes new heads over WebSocket, or Cairn polls it every `heads.pollMs`. */
      heads: z.enum(['pushed', 'polled']),
      lag: z.number().nullable(),
      /** Blocks whose state it proves: `every block`, `the last 128 blocks`, `no block`, `unknown`. */
      proofs: z.string(),
      /** Number since the start of the server. */
      lies: z.int(),
      /** Calls of the last 24 hours, at most since the start of the server. */
      history: z.object({
        /** Start of the first interval, milliseconds since 1970 UTC. */
        start: z.int(),
        intervalMs: z.int(),
        /** Per interval, oldest first; `failed`: those of `calls` without an answer. */
        calls: z.array(z.int()),
        failed: z.array(z.int()),
      }),
      /** Since the start of the server; null: none. */
      lastFailure: z.object({ time: z.int(), message: z.string() }).nullable(),
    }),
  ),
  alarms: z.array(z.object({ network: z.string(), need: z.string(), since: z.int() })),
  /** Newest first. */
  lies: z.array(invalidReply),
})

export const listUpstreams = {
  id: 'listUpstreams',
  method: 'GET',
  path: '/upstreams',
  role: 'operator',
  summary: 'Health and calls of each upstream, and the newest invalid replies with their evidence.',
  input,
  output,
  async run({ lies }, { server }) {
    if (server === null) throw noServer()
    return {
      upstreams: server.upstreams().map(({ head, history, ...upstream }) => ({
        ...upstream,
        head: head === null ? null : head.toString(),
        history: {
          start: (history.slot - historySlots + 1) * historyIntervalMs,
          intervalMs: historyIntervalMs,
          calls: [...history.calls],
          failed: [...history.failed],
        },
        lastFailure: history.lastFailure,
      })),
      alarms: [...server.alarms()],
      lies: (await server.invalidReplies({ limit: lies })).map(shownReply),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
