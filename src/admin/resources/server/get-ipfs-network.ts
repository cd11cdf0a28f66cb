// `GET /ipfs-network`: mode and state of the IPFS network, its peers, transfer in both directions and the last failures.
// Tested by test/admin/status.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from './get-status.ts'

const input = z.strictObject({})
const output = z.object({
  mode: z.enum(['off', 'fetch', 'provide']),
  /** `down`: the process ended five times in ten minutes. */
  state: z.enum(['off', 'starting', 'up', 'down']),
  /** Peer ID; null: the process does not run. */
  peer: z.string().nullable(),
  /** Addresses that accept connections of peers. */
  addresses: z.array(z.string()),
  /** Why no address accepts connections although the mode is `provide`. */
  listenProblem: z.string().nullable(),
  peers: z.object({ in: z.int(), out: z.int() }),
  dhtPeers: z.int(),
  /** Number of blocks that reads of this server wait for. */
  wants: z.int(),
  /** Blocks, and all bytes of connections, since the start of the server. */
  transfer: z.object({
    blocksReceived: z.int(),
    blocksSent: z.int(),
    bytesIn: z.int(),
    bytesOut: z.int(),
  }),
  /** Block requests of peers that exceeded the limit of pending ones. */
  refusedWants: z.int(),
  /** Null: the mode is not `provide`. `done`, `failed`: since the start; the others: current numbers of multihashes. */
  announcements: z
    .object({
      planned: z.int(),
      due: z.int(),
      late: z.int(),
      over: z.int(),
      done: z.int(),
      failed: z.int(),
    })
    .nullable(),
  /** Replies of peers that did not match the requested block. */
  invalidReplies: z.int(),
  restarts: z.int(),
  /** Memory in bytes; null: the process does not run. */
  memory: z.int().nullable(),
  /** Newest last. Times: milliseconds since 1970 UTC. */
  failures: z.array(z.object({ time: z.int(), reason: z.string() })),
})

const off = {
  mode: 'off' as const,
  state: 'off' as const,
  peer: null,
  addresses: [],
  listenProblem: null,
  peers: { in: 0, out: 0 },
  dhtPeers: 0,
  wants: 0,
  transfer: { blocksReceived: 0, blocksSent: 0, bytesIn: 0, bytesOut: 0 },
  refusedWants: 0,
  announcements: null,
  invalidReplies: 0,
  restarts: 0,
  memory: null,
  failures: [],
}

export const getIpfsNetwork = {
  id: 'getIpfsNetwork',
  method: 'GET',
  path: '/ipfs-network',
  role: 'operator',
  summary: 'Mode and state of the IPFS network: peers, transfer and the last failures.',
  input,
  output,
  async run(_input, { server }) {
    if (server === null) throw noServer()
    const status = server.ipfsNetwork()
    if (status === null) return off
    const { mode, state, ready, counts, totals, restarts, deaths, wants, peerRequests } = status
    return {
      mode,
      state,
      peer: ready?.peer ?? null,
      addresses: [...(ready?.addrs ?? [])],
      listenProblem: ready?.listenProblem ?? null,
      peers: counts?.peers ?? off.peers,
      dhtPeers: counts?.dhtPeers ?? 0,
      wants,
      transfer: {
        blocksReceived: totals.blocksReceived,
        blocksSent: totals.blocksSent,
        bytesIn: totals.connectionBytesIn,
        bytesOut: totals.connectionBytesOut,
      },
      refusedWants: peerRequests?.refused ?? 0,
      announcements: await server.announcements(),
      invalidReplies: totals.lies,
      restarts,
      memory: counts?.rssBytes ?? null,
      failures: deaths.map(({ at, reason }) => ({ time: at, reason })),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
