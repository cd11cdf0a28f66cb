// `GET /keys/{key}`: an API key by its ID, in any account of the caller. Keys of other accounts are absent.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import { mayRead } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { apiKey, keyId } from './key-schema.ts'

const input = z.strictObject({ key: keyId })
const output = z.object({ key: apiKey })

export const findKey = {
  id: 'findKey',
  method: 'GET',
  path: '/keys/{key}',
  role: 'signed-in',
  summary: 'An API key by its id alone.',
  input,
  output,
  async run({ key }, { actor, accounts }) {
    const found = await accounts.findKey(key)
    if (found !== null && mayRead(actor, found.accountId)) return { key: found }
    // If the ID is the key itself, report it: to callers who may see every account.
    if (found === null && mayRead(actor, null)) return { key: await accounts.getKey(key) }
    throw new Fault('absent', { detail: 'no key has this id' })
  },
} satisfies JsonOperation<typeof input, typeof output>
