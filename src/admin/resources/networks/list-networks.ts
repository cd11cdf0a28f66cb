// `GET /networks`: networks of the settings and saved networks, in the order in which they are served.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { network } from './network-schema.ts'

const input = z.strictObject({})
const output = z.object({ networks: z.array(network) })

export const listNetworks = {
  id: 'listNetworks',
  method: 'GET',
  path: '/networks',
  role: 'operator',
  summary: 'Networks of the settings and saved networks, the default first.',
  input,
  output,
  run: async (_input, { networks }) => ({ networks: await networks.list() }),
} satisfies JsonOperation<typeof input, typeof output>
