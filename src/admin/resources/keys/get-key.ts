// `GET /accounts/{account}/keys/{key}`: one API key with its settings and public keys.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { apiKey, keyOf, keyPath } from './key-schema.ts'
import { publicKey } from './public-key-schema.ts'

const input = z.strictObject(keyPath)
const output = z.object({ key: apiKey, publicKeys: z.array(publicKey) })

export const getKey = {
  id: 'getKey',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}',
  role: 'member',
  summary: 'One API key with its settings and public keys.',
  input,
  output,
  async run({ account, key }, { accounts, publicKeys }) {
    return {
      key: await keyOf(accounts, account, key),
      publicKeys: [...(await publicKeys.list(key))],
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
