// `GET /errors`: the last requests that failed because of the server, an upstream or a limit of the server.
// Tested by test/admin/status.test.ts, test/server/access-log.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from './get-status.ts'

const input = z.strictObject({})
const output = z.object({
  /** Newest first, at most 200, since the start of the server; similar ones share an entry. */
  errors: z.array(
    z.object({
      api: z.enum(['rpc', 'ipfs', 'gateway', 'admin']),
      /** Null: the API has no networks, or the network is unknown. */
      network: z.string().nullable(),
      /** JSON-RPC method, IPFS command or admin operation; empty: not parsed. */
      method: z.string(),
      /** As in docs/reference/errors.md. */
      code: z.string(),
      /** HTTP status of the last one; null for a WebSocket. */
      status: z.int().nullable(),
      /** ID of the last one, as in the log and in `x-request-id`. */
      requestId: z.string(),
      count: z.int(),
      /** Milliseconds since 1970 UTC. */
      first: z.int(),
      last: z.int(),
    }),
  ),
})

export const listErrors = {
  id: 'listErrors',
  method: 'GET',
  path: '/errors',
  role: 'operator',
  summary: 'The last requests that failed for a reason of the server, with counts.',
  input,
  output,
  run(_input, { server }) {
    if (server === null) throw noServer()
    return { errors: [...server.errors()] }
  },
} satisfies JsonOperation<typeof input, typeof output>
