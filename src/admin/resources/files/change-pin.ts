// `PATCH /accounts/{account}/files/{cid}`: whether one pin is public, within the setting of its account, and its date.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { authorizeRole } from '../../principal.ts'
import { accountId, provide } from '../accounts/account-schema.ts'
import { time } from '../../time-schema.ts'

const input = z.strictObject({
  account: accountId,
  /** As in the list of pins. */
  cid: z.string().max(300),
  /** Restricts the account's setting for this pin. For owners. */
  provide: provide.optional(),
  /** Original date of a pin that was removed and is pinned again; not in the future. */
  created: time.optional(),
})
const output = z.object({
  cid: z.string(),
  provide: provide.optional(),
  created: time.optional(),
})

export const changePin = {
  id: 'changePin',
  method: 'PATCH',
  path: '/accounts/{account}/files/{cid}',
  role: 'member',
  summary:
    'Exclude a pin from what its account makes public or include it again, or restore its date.',
  input,
  output,
  async run({ account, cid, ...change }, { actor, pins, clock }) {
    const { provide: level, created } = change
    if (level !== undefined) authorizeRole('owner', account, actor)
    else if (created === undefined) {
      throw new Fault('bad_input', { detail: 'expected provide or created' })
    }
    if (created !== undefined && created > clock.now()) {
      throw new Fault('bad_input', { detail: `created: ${created} is in the future` })
    }
    if (!(await pins.change(account, cid, { provide: level, created }))) {
      throw new Fault('absent', { detail: 'the account has not pinned this CID' })
    }
    return { cid, ...change }
  },
} satisfies JsonOperation<typeof input, typeof output>
