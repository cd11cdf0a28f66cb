// `PATCH /networks/{network}`: absent members remain unchanged. An upstream without `url` keeps the URL of the saved upstream with
// the same name. Requires a confirmed session, or a token.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import { requireConfirmedSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { networkState } from '../../audited-states.ts'
import { network, networkDraft, networkName } from './network-schema.ts'

const input = z.strictObject({
  network: networkName,
  ...networkDraft.shape,
  isDefault: z.boolean().optional(),
  /** Save it even if upstreams do not respond. */
  force: z.boolean().default(false),
})
const output = z.object({ network })

export const changeNetwork = {
  id: 'changeNetwork',
  method: 'PATCH',
  path: '/networks/{network}',
  role: 'operator',
  summary: 'Change a saved network; the change is in force when the reply is sent.',
  input,
  output,
  state: networkState,
  async run({ network: name, isDefault = null, force, ...draft }, call) {
    requireConfirmedSession(call)
    return { network: await call.networks.change(name, draft, { isDefault, force }, call.signal) }
  },
} satisfies JsonOperation<typeof input, typeof output>
