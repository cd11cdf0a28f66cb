// `POST /networks/{network}/test`: queries the upstreams of a network that is saved or in the settings.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { networkName, probeReport } from './network-schema.ts'

const input = z.strictObject({ network: networkName })

export const testNetwork = {
  id: 'testNetwork',
  method: 'POST',
  path: '/networks/{network}/test',
  role: 'operator',
  summary: 'Query the upstreams of a network now.',
  input,
  output: probeReport,
  audit: () => null,
  run: async ({ network: name }, { networks, signal }) => await networks.test(name, signal),
} satisfies JsonOperation<typeof input, typeof probeReport>
