// Schemas of public keys that verify JWTs.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JwtPublicKey } from '../../../access/accounts/jwt-public-keys.ts'
import { time } from '../../time-schema.ts'

export const publicKey: z.ZodType<JwtPublicKey> = z.object({
  /** The `kid` in the header of JWTs. */
  id: z.string(),
  name: z.string(),
  algorithm: z.enum(['RS256', 'ES256']),
  /** base64 of the SHA-256 of its DER. */
  fingerprint: z.string(),
  created: time,
})
