// `POST /welcome/look`: describes an invitation link. The link is in the body, because paths and queries are logged.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { invitation, linkText } from '../people/person-schema.ts'

const input = z.strictObject({ link: linkText })
const output = z.object({ invitation, isFirst: z.boolean() })

export const getInvitation = {
  id: 'getInvitation',
  method: 'POST',
  path: '/welcome/look',
  role: 'anyone',
  summary: 'Describe an invitation link.',
  input,
  output,
  audit: () => null,
  async run({ link }, { identity }) {
    const found = await identity.invitations.get(link)
    return { invitation: found, isFirst: found.isFirst }
  },
} satisfies JsonOperation<typeof input, typeof output>
