// Passkeys of the signed-in person, `/me/passkeys`.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listPasskeys } from './list-passkeys.ts'
import { beginPasskey } from './begin-passkey.ts'
import { addPasskey } from './add-passkey.ts'
import { removePasskey } from './remove-passkey.ts'

export const passkeyOperations = [
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
] as const satisfies readonly AdminOperation[]
