// `POST /accounts/{account}/keys/{key}/rotate-secret`: a new secret now; the old one stays valid for an overlap.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { apiKey, keyOf, keyPath } from './key-schema.ts'
import { overlapMs } from './rotate-key.ts'

const input = z.strictObject({ ...keyPath, overlapMs })
const output = z.object({ key: apiKey, apiKeySecret: z.string() })

export const rotateSecret = {
  id: 'rotateSecret',
  method: 'POST',
  path: '/accounts/{account}/keys/{key}/rotate-secret',
  role: 'owner',
  summary: 'Replace the secret of an API key; the old one works for an overlap, 0 ends it now.',
  input,
  output,
  async run({ account, key, overlapMs: overlap }, { accounts }) {
    await keyOf(accounts, account, key)
    const { apiKey: changed, secret } = await accounts.rotateSecret(key, overlap)
    return { key: changed, apiKeySecret: secret }
  },
} satisfies JsonOperation<typeof input, typeof output>
