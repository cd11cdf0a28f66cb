// The table of all admin operations, by resource, in the order of the OpenAPI document.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from './admin-operation.ts'
import { sessionOperations } from './resources/session/operations.ts'
import { ownOperations } from './resources/me/operations.ts'
import { passkeyOperations } from './resources/passkeys/operations.ts'
import { identityOperations } from './resources/identities/operations.ts'
import { invitationOperations } from './resources/invitations/operations.ts'
import { memberOperations } from './resources/members/operations.ts'
import { auditOperations } from './resources/audit/operations.ts'
import { peopleOperations } from './resources/people/operations.ts'
import { serverOperations } from './resources/server/operations.ts'
import { serverSettingsOperations } from './resources/server-settings/operations.ts'
import { networkOperations } from './resources/networks/operations.ts'
import { denialOperations } from './resources/denials/operations.ts'
import { backupOperations } from './resources/backups/operations.ts'
import { accountOperations } from './resources/accounts/operations.ts'
import { cardOperations } from './resources/cards/operations.ts'
import { fileOperations } from './resources/files/operations.ts'
import { pinRequestOperations } from './resources/pin-requests/operations.ts'
import { keyOperations } from './resources/keys/operations.ts'
import { ipnsKeyOperations } from './resources/ipns-keys/operations.ts'
import { requestOperations } from './resources/requests/operations.ts'
import { alertOperations } from './resources/alerts/operations.ts'
import { usageOperations } from './resources/usage/operations.ts'

export const adminOperations = [
  ...sessionOperations,
  ...ownOperations,
  ...passkeyOperations,
  ...identityOperations,
  ...invitationOperations,
  ...memberOperations,
  ...auditOperations,
  ...peopleOperations,
  ...serverOperations,
  ...serverSettingsOperations,
  ...networkOperations,
  ...denialOperations,
  ...backupOperations,
  ...accountOperations,
  ...cardOperations,
  ...fileOperations,
  ...pinRequestOperations,
  ...keyOperations,
  ...ipnsKeyOperations,
  ...requestOperations,
  ...alertOperations,
  ...usageOperations,
] as const satisfies readonly AdminOperation[]

/** Not operations today: a sign-in rule gives or takes a role, and earlier names of operations. */
const otherActions = [
  'applySignInRule',
  'lookAtInvitation',
  'takeInvitation',
  'takeInvitationAsNew',
] as const

/** Values that `action` of a record of the audit log can have. */
export const auditedActions: readonly string[] = [
  ...adminOperations.filter(({ method }) => method !== 'GET').map(({ id }) => id),
  ...otherActions,
]
