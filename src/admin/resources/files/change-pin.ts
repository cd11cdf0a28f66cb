// `PATCH /accounts/{account}/files/{cid}`: whether one pin is public, within the setting of its account, and its origin.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { authorizeRole } from '../../principal.ts'
import { accountId, provide } from '../accounts/account-schema.ts'
import { keyId } from '../keys/key-schema.ts'
import { time } from '../../time-schema.ts'

const input = z.strictObject({
  account: accountId,
  /** As in the list of pins. */
  cid: z.string().max(300),
  /** Restricts the account's setting for this pin. For owners. */
  provide: provide.optional(),
  /** Original date of a pin that was removed and is pinned again; not in the future. */
  created: time.optional(),
  /** The key of the account that added such a pin. */
  keyId: keyId.optional(),
})
const output = z.object({
  cid: z.string(),
  provide: provide.optional(),
  created: time.optional(),
  keyId: keyId.optional(),
})

export const changePin = {
  id: 'changePin',
  method: 'PATCH',
  path: '/accounts/{account}/files/{cid}',
  role: 'member',
  summary:
    'Exclude a pin from what its account makes public or include it again, or restore its origin.',
  input,
  output,
  async run({ account, cid, ...change }, { actor, pins, accounts, clock }) {
    const { provide: level, created, keyId: key } = change
    if (level !== undefined) authorizeRole('owner', account, actor)
    else if (created === undefined && key === undefined) {
      throw new Fault('bad_input', { detail: 'expected provide, created or keyId' })
    }
    if (created !== undefined && created > clock.now()) {
      throw new Fault('bad_input', { detail: `created: ${created} is in the future` })
    }
    if (key !== undefined && (await accounts.findKeyOf(account, key)) === null) {
      throw new Fault('bad_input', { detail: `keyId: the account has no key ${key}` })
    }
    if (!(await pins.change(account, cid, { provide: level, created, keyId: key }))) {
      throw new Fault('absent', { detail: 'the account has not pinned this CID' })
    }
    return { cid, ...change }
  },
} satisfies JsonOperation<typeof input, typeof output>
