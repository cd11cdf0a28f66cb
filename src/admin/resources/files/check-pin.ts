// `GET /accounts/{account}/files/{cid}/providers`: whether routers and peers of the IPFS network list this server for a public pin.
// Tested by test/network/announced.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import { mayRead } from '../../principal.ts'
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
      /** Host of a router, or `DHT`. Callers who are not operators get `router <number>` instead of a host. */
      by: z.string(),
      /** Number of peers of the DHT that answered; a router counts as one. */
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
  async run({ account, cid }, { actor, server, signal, ...context }) {
    if (server === null) throw noServer()
    await getPublicPin(account, cid, context)
    const checks = await server.checkProvider(cid, signal)
    if (checks === null) {
      throw new Fault('conflict', {
        detail: 'this server does not use the IPFS network: set ipfsNetwork.mode to provide',
      })
    }
    // Only operators see the settings of the server.
    const isOperator = mayRead(actor, null)
    return {
      checks: checks.map(({ by, ...counts }, at) => {
        return { by: isOperator || by === 'DHT' ? by : `router ${at + 1}`, ...counts }
      }),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
