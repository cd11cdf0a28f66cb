// `DELETE /accounts/{account}/keys/{key}/public-keys/{publicKey}`: tokens signed with it are refused from then on.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyOf, keyPath } from './key-schema.ts'
import { publicKey } from './public-key-schema.ts'

const input = z.strictObject({ ...keyPath, publicKey: z.string().max(64) })
const output = z.object({ publicKeys: z.array(publicKey) })

export const removePublicKey = {
  id: 'removePublicKey',
  method: 'DELETE',
  path: '/accounts/{account}/keys/{key}/public-keys/{publicKey}',
  role: 'owner',
  summary: 'Take a public key away; JWTs that it signed are refused from then on.',
  input,
  output,
  audit: ({ key, publicKey: id }) => ({ target: key, changes: { publicKey: id } }),
  async run({ account, key, publicKey: id }, { accounts, publicKeys }) {
    await keyOf(accounts, account, key)
    await publicKeys.remove(key, id)
    return { publicKeys: [...(await publicKeys.list(key))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
