// `POST /accounts/{account}/keys/{key}/revoke`: revokes an API key immediately and permanently; it stays in lists.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyState } from '../../audited-states.ts'
import { apiKey, keyOf, keyPath } from './key-schema.ts'

const input = z.strictObject(keyPath)
const output = z.object({ key: apiKey })

export const revokeKey = {
  id: 'revokeKey',
  method: 'POST',
  path: '/accounts/{account}/keys/{key}/revoke',
  role: 'owner',
  summary: 'Revoke an API key immediately and permanently.',
  input,
  output,
  state: keyState,
  async run({ account, key }, { accounts }) {
    await keyOf(accounts, account, key)
    await accounts.revokeKey(key)
    return { key: await keyOf(accounts, account, key) }
  },
} satisfies JsonOperation<typeof input, typeof output>
