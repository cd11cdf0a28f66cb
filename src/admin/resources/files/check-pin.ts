// `GET /accounts/{account}/files/{cid}/providers`: whether routers and peers of the IPFS network list this server for a public pin.
// Tested by test/network/announced.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { noServer } from '../server/get-status.ts'
import { getPublicPin } from './public-pin.ts'

const input = z.strictObject({
  account: accountId,
  /** As in the list of pins. */
  cid: z.string().max(300),
})
const output = z.object({
  checks: z.array(
    z.object({
      /** Host of a router, or `DHT`. */
      by: z.string(),
      /** Number of peers of the DHT that answered within 30 s; a router counts as one, within 3 s. */
      answered: z.int(),
      /** How many of them listed this server. */
      listed: z.int(),
    }),
  ),
})

export const checkPin = {
  id: 'checkPin',
  method: 'GET',
  path: '/accounts/{account}/files/{cid}/providers',
  role: 'member',
  summary: 'Whether the routers and the DHT list this server as a provider of a public pin.',
  input,
  output,
  async run({ account, cid }, { server, signal, ...context }) {
    if (server === null) throw noServer()
    await getPublicPin(account, cid, context)
    const checks = await server.checkProvider(cid, signal)
    if (checks === null) {
      throw new Fault('bad_input', {
        detail: 'this server does not use the IPFS network: set ipfsNetwork.mode to provide',
      })
    }
    return { checks: [...checks] }
  },
} satisfies JsonOperation<typeof input, typeof output>
