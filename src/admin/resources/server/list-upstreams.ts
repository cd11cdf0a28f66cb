// `GET /upstreams`: health of each upstream, and its invalid replies with their evidence.
// Tested by test/admin/status.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from './get-status.ts'

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
      p50Ms: z.number().nullable(),
      p95Ms: z.number().nullable(),
      successRate: z.number(),
      /** Decimal. */
      head: z.string().nullable(),
      /** Does it push new heads over WebSocket, or are they polled every `heads.pollMs`? */
      heads: z.enum(['pushed', 'polled']),
      lag: z.number().nullable(),
      lies: z.int(),
    }),
  ),
  alarms: z.array(z.object({ network: z.string(), need: z.string(), since: z.int() })),
  /** The newest first. */
  lies: z.array(
    z.object({
      time: z.int(),
      network: z.string(),
      upstream: z.string(),
      method: z.string(),
      /** JSON texts, cut where they are long. */
      params: z.string(),
      response: z.string(),
      expected: z.string(),
      computed: z.string(),
      block: z.string().nullable(),
    }),
  ),
})

export const listUpstreams = {
  id: 'listUpstreams',
  method: 'GET',
  path: '/upstreams',
  role: 'operator',
  summary: 'Health of each upstream, and its invalid replies with their evidence.',
  input,
  output,
  async run({ lies }, { server }) {
    if (server === null) throw noServer()
    return {
      upstreams: server.upstreams().map(({ head, ...upstream }) => ({
        ...upstream,
        head: head === null ? null : head.toString(),
      })),
      alarms: [...server.alarms()],
      lies: (await server.lies(lies)).map((lie) => ({ ...lie, response: cut(lie.response) })),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>

const shownMax = 4_096

function cut(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}
