// `POST /networks`: saves a network and serves it, without a restart. Requires a confirmed session, or a token.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import { requireConfirmedSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { networkState } from '../../audited-states.ts'
import { network, networkDraft, networkName, upstreamDrafts } from './network-schema.ts'

const input = z.strictObject({
  name: networkName,
  ...networkDraft.shape,
  upstreams: upstreamDrafts,
  /** Serve it at paths without a network name; only if the settings list no networks. */
  isDefault: z.boolean().default(false),
  /** Save it even if upstreams do not respond. */
  force: z.boolean().default(false),
})
const output = z.object({ network })

export const addNetwork = {
  id: 'addNetwork',
  method: 'POST',
  path: '/networks',
  role: 'operator',
  summary: 'Save a network behind upstreams and serve it immediately.',
  input,
  output,
  state: ({ name }, call) => networkState({ network: name }, call),
  async run({ isDefault, force, ...draft }, call) {
    requireConfirmedSession(call)
    return { network: await call.networks.add(draft, { isDefault, force }, call.signal) }
  },
} satisfies JsonOperation<typeof input, typeof output>
