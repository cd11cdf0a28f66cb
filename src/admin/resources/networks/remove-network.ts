// `DELETE /networks/{network}`: running requests on it complete. Requires a confirmed session, or a token.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import { requireConfirmedSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { networkState } from '../../audited-states.ts'
import { networkName } from './network-schema.ts'

const input = z.strictObject({ network: networkName })
const output = z.object({})

export const removeNetwork = {
  id: 'removeNetwork',
  method: 'DELETE',
  path: '/networks/{network}',
  role: 'operator',
  summary: 'Remove a saved network; its stored blocks stay.',
  input,
  output,
  state: networkState,
  async run({ network: name }, call) {
    requireConfirmedSession(call)
    await call.networks.remove(name)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
