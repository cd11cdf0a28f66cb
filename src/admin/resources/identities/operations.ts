// Identities of people at the OpenID provider.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { beginIdentityLink } from './begin-identity-link.ts'
import { linkIdentity } from './link-identity.ts'
import { unlinkIdentity } from './unlink-identity.ts'
import { unlinkIdentityOf } from './unlink-identity-of.ts'

export const identityOperations = [
  beginIdentityLink,
  linkIdentity,
  unlinkIdentity,
  unlinkIdentityOf,
] as const satisfies readonly AdminOperation[]
