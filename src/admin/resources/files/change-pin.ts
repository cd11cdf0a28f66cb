// `PATCH /accounts/{account}/files/{cid}`: whether one pin is public, within the setting of its account.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId, provide } from '../accounts/account-schema.ts'

const input = z.strictObject({
  account: accountId,
  /** As the list of pins has it. */
  cid: z.string().max(300),
  /** Narrows the setting of the account. */
  provide,
})
const output = z.object({ cid: z.string(), provide })

export const changePin = {
  id: 'changePin',
  method: 'PATCH',
  path: '/accounts/{account}/files/{cid}',
  role: 'owner',
  summary: 'Exclude a pin from what its account makes public, or include it again.',
  input,
  output,
  async run({ account, cid, provide: level }, { pins }) {
    if (!(await pins.setProvide(account, cid, level))) {
      throw new Fault('absent', { detail: 'the account has not pinned this CID' })
    }
    return { cid, provide: level }
  },
} satisfies JsonOperation<typeof input, typeof output>
