// `POST /accounts/{account}/keys/{key}/public-keys`: adds a public key, up to three.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyOf, keyPath } from './key-schema.ts'
import { publicKey } from './public-key-schema.ts'

const input = z.strictObject({
  ...keyPath,
  name: z.string().max(64).default(''),
  /** The `kid` that tokens already use; if absent, Cairn creates one. */
  id: z.string().max(64).optional(),
  /** PEM (SPKI), or a JWK as text. */
  publicKey: z.string().max(8_192),
})
const output = z.object({ publicKey })

export const addPublicKey = {
  id: 'addPublicKey',
  method: 'POST',
  path: '/accounts/{account}/keys/{key}/public-keys',
  role: 'owner',
  summary: 'Give an API key a public key to check JWTs with: RSA for RS256, P-256 for ES256.',
  input,
  output,
  audit: ({ key }, { publicKey: { id, name, fingerprint } }) => ({
    target: key,
    changes: { publicKey: id, name, fingerprint },
  }),
  async run({ account, key, name, id, publicKey: text }, { accounts, publicKeys }) {
    await keyOf(accounts, account, key)
    const idOption = id === undefined ? {} : { id }
    return { publicKey: await publicKeys.add(key, { name, text, ...idOption }) }
  },
} satisfies JsonOperation<typeof input, typeof output>
