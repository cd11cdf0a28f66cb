// `GET /invitations`: open invitations, without their tokens.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { invitation } from '../people/person-schema.ts'

const input = z.strictObject({})
const output = z.object({ invitations: z.array(invitation) })

export const listAllInvitations = {
  id: 'listAllInvitations',
  method: 'GET',
  path: '/invitations',
  role: 'operator',
  summary: 'Open invitations of the whole server.',
  input,
  output,
  async run(_input, { identity }) {
    return { invitations: [...(await identity.invitations.list(null))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
