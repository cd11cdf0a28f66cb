// `POST /network-probe`: queries upstreams before an operator saves them. Saves nothing.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import { requireConfirmedSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { networkDraft, networkName, probeReport, upstreamDrafts } from './network-schema.ts'

const input = z.strictObject({
  name: networkName.optional(),
  ...networkDraft.shape,
  upstreams: upstreamDrafts,
})

export const probeNetwork = {
  id: 'probeNetwork',
  method: 'POST',
  path: '/network-probe',
  role: 'operator',
  summary: 'Query upstreams: chain, client, head, proof depth, latency, missing methods.',
  input,
  output: probeReport,
  audit: () => null,
  async run(draft, call) {
    requireConfirmedSession(call)
    return await call.networks.probe(draft, call.signal)
  },
} satisfies JsonOperation<typeof input, typeof probeReport>
