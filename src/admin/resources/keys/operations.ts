// API keys, and the public keys that verify their JWTs.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listPlans } from './list-plans.ts'
import { listAllKeys } from './list-all-keys.ts'
import { findKey } from './find-key.ts'
import { listKeys } from './list-keys.ts'
import { createKey } from './create-key.ts'
import { getKey } from './get-key.ts'
import { changeKey } from './change-key.ts'
import { rotateKey } from './rotate-key.ts'
import { rotateSecret } from './rotate-secret.ts'
import { revokeKey } from './revoke-key.ts'
import { listPublicKeys } from './list-public-keys.ts'
import { addPublicKey } from './add-public-key.ts'
import { removePublicKey } from './remove-public-key.ts'
import { tryKey } from './try-key.ts'

export const keyOperations = [
  listPlans,
  listAllKeys,
  findKey,
  listKeys,
  createKey,
  getKey,
  changeKey,
  rotateKey,
  rotateSecret,
  revokeKey,
  listPublicKeys,
  addPublicKey,
  removePublicKey,
  tryKey,
] as const satisfies readonly AdminOperation[]
