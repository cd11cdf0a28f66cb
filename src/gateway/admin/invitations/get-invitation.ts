// `POST /welcome/look`: what a link is for. The link is in the body, as paths and queries are logged.
// Tested by test/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../admin-operation.ts'
import { invitation, linkText } from '../people/person-schema.ts'

const input = z.strictObject({ link: linkText })
const output = z.object({ invitation, isFirst: z.boolean() })

export const getInvitation = {
  id: 'lookAtInvitation',
  method: 'POST',
  path: '/welcome/look',
  role: 'anyone',
  summary: 'What a link is for.',
  input,
  output,
  audit: () => null,
  run({ link }, { identity }) {
    const found = identity.invitations.get(link)
    return { invitation: found, isFirst: found.isFirst }
  },
} satisfies JsonOperation<typeof input, typeof output>
