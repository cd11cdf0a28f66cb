// `GET /accounts/{account}/keys/{key}/public-keys`: the keys that verify the JWTs of an API key.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyOf, keyPath } from './key-schema.ts'
import { publicKey } from './public-key-schema.ts'

const input = z.strictObject(keyPath)
const output = z.object({ publicKeys: z.array(publicKey) })

export const listPublicKeys = {
  id: 'listPublicKeys',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}/public-keys',
  role: 'member',
  summary: 'The public keys that the JWTs of an API key are checked with.',
  input,
  output,
  async run({ account, key }, { accounts, publicKeys }) {
    await keyOf(accounts, account, key)
    return { publicKeys: [...(await publicKeys.list(key))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
