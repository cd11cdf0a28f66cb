// `POST /accounts/{account}/keys`: creates an API key, or imports one of another service. Only this operation returns key and
// secret.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { plans } from '../../../access/accounts/plans.ts'
import { Fault } from '../../../base/fault.ts'
import { isOperator } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyChanges, madeKey, planName } from './key-schema.ts'
import { accountId } from '../accounts/account-schema.ts'
import { time } from '../../time-schema.ts'

const input = z.strictObject({
  account: accountId,
  name: z.string().max(64).default(''),
  expires: time.nullable().default(null),
  plan: planName.default('none'),
  settings: keyChanges.default({}),
  /** A key of another service with its secret; if the secret is absent, Cairn creates one. */
  imported: z.strictObject({ apiKey: z.string(), apiKeySecret: z.string().optional() }).optional(),
})

export const createKey = {
  id: 'createKey',
  method: 'POST',
  path: '/accounts/{account}/keys',
  role: 'owner',
  summary: 'Make an API key; the key and its secret are shown in this answer only.',
  input,
  output: madeKey,
  async run({ account, name, expires, plan, settings, imported }, { accounts, actor, clock }) {
    if (expires !== null && expires <= clock.now()) {
      throw new Fault('bad_input', {
        detail: 'expires: this time is past',
        data: { field: 'expires' },
      })
    }
    const make = async () =>
      await accounts.createKeyOf(account, {
        name,
        expires,
        settings: { ...plans[plan], ...settings },
        ...(imported === undefined
          ? {}
          : { imported: { key: imported.apiKey, secret: imported.apiKeySecret ?? null } }),
      })
    const isOwner = actor !== null && !isOperator(actor)
    const made = isOwner
      ? await accounts.keyLimit.createWithinLimit({ accountId: account, ends: false }, make)
      : await make()
    return { key: made.apiKey, apiKey: made.key, apiKeySecret: made.secret }
  },
} satisfies JsonOperation<typeof input, typeof madeKey>
