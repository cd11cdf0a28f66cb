// `POST /accounts/{account}/keys/{key}/rotate`: a new key now; the old one stays valid for an overlap.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { apiKey, keyOf, keyPath, madeKey } from './key-schema.ts'

/** By default a day, so that clients have time to change over. */
export const overlapMs = z
  .int()
  .min(0)
  .max(366 * 86_400_000)
  .default(86_400_000)

const input = z.strictObject({ ...keyPath, overlapMs })
/** `replaced`: the old key, with its expiry. */
const output = madeKey.extend({ replaced: apiKey })

export const rotateKey = {
  id: 'rotateKey',
  method: 'POST',
  path: '/accounts/{account}/keys/{key}/rotate',
  role: 'owner',
  summary: 'Replace an API key; the old one works for an overlap, 0 ends it now.',
  input,
  output,
  audit: ({ key, overlapMs: overlap }, made) => ({
    target: key,
    changes: { overlapMs: overlap, successor: made.key.id },
  }),
  async run({ account, key, overlapMs: overlap }, { accounts, actor }) {
    await keyOf(accounts, account, key)
    const rotate = async () => await accounts.rotateKey(key, overlap)
    const isOwner = actor !== null && !isOperator(actor)
    const made = isOwner
      ? await accounts.keyLimit.createWithinLimit(
          { accountId: account, ends: overlap === 0 },
          rotate,
        )
      : await rotate()
    return {
      key: made.apiKey,
      apiKey: made.key,
      apiKeySecret: made.secret,
      replaced: await keyOf(accounts, account, key),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
