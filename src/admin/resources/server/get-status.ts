// `GET /status`: state of the server, its networks and its store.
// Tested by test/admin/status.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({
  version: z.string(),
  /** Milliseconds since 1970 UTC. */
  started: z.int(),
  ready: z.boolean(),
  /** Port of the JSON-RPC and IPFS APIs if the admin API has its own listener. */
  facesPort: z.int().nullable(),
  /** Default first. */
  networks: z.array(
    z.object({
      name: z.string(),
      /** Decimal. */
      chainId: z.string(),
      embedded: z.boolean(),
      /** Decimal number of the newest block; null: no recent head is confirmed. */
      head: z.string().nullable(),
      /** Milliseconds since the timestamp of that block; null: it is not known without a request. */
      headAgeMs: z.number().min(0).nullable(),
      anchor: z.string().nullable(),
    }),
  ),
  store: z.object({
    writable: z.boolean(),
    bytes: z.int(),
    bytesMax: z.int().nullable(),
  }),
  /**
   * Access rule of the gateway (`/ipfs/<cid>`) and its content; `host`: a host name for content only. `local`: programs and people
   * on the server's machine read pinned content without a key.
   */
  gateway: z.object({
    enabled: z.boolean(),
    public: z.boolean(),
    deserialized: z.boolean(),
    host: z.string().nullable(),
    local: z.boolean(),
  }),
})

export const getStatus = {
  id: 'getStatus',
  method: 'GET',
  path: '/status',
  role: 'signed-in',
  summary: 'How the server, its networks and its store stand.',
  input,
  output,
  run(_input, { server }) {
    if (server === null) throw noServer()
    const { version, started, ready, facesPort } = server
    return {
      version,
      started,
      ready,
      facesPort,
      networks: server.networks().map(({ chainId, head, ...network }) => ({
        ...network,
        chainId: chainId.toString(),
        head: head === null ? null : head.toString(),
      })),
      store: server.store(),
      gateway: server.gateway(),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>

/** The error for a command on the data folder, which does not contain the state of a server. */
export function noServer(): Fault {
  return new Fault('absent', {
    detail: 'this needs a running server: use --url, and a token of the dashboard in CAIRN_TOKEN',
  })
}
