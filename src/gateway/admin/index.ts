// All admin operations, by resource. Their order is that of the OpenAPI document.
// Tested by test/admin.test.ts
import type { AdminOperation } from './admin-operation.ts'
import { sessionOperations } from './session/operations.ts'
import { ownOperations } from './me/operations.ts'
import { passkeyOperations } from './passkeys/operations.ts'
import { invitationOperations } from './invitations/operations.ts'
import { memberOperations } from './members/operations.ts'
import { auditOperations } from './audit/operations.ts'
import { peopleOperations } from './people/operations.ts'
import { serverOperations } from './server/operations.ts'
import { accountOperations } from './accounts/operations.ts'
import { cardOperations } from './cards/operations.ts'
import { fileOperations } from './files/operations.ts'
import { keyOperations } from './keys/operations.ts'
import { requestOperations } from './requests/operations.ts'
import { alertOperations } from './alerts/operations.ts'
import { usageOperations } from './usage/operations.ts'

export const adminOperations = [
  ...sessionOperations,
  ...ownOperations,
  ...passkeyOperations,
  ...invitationOperations,
  ...memberOperations,
  ...auditOperations,
  ...peopleOperations,
  ...serverOperations,
  ...accountOperations,
  ...cardOperations,
  ...fileOperations,
  ...keyOperations,
  ...requestOperations,
  ...alertOperations,
  ...usageOperations,
] as const satisfies readonly AdminOperation[]
