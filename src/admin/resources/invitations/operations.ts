// Invitations: of an account, of the server, and their acceptance.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getInvitation } from './get-invitation.ts'
import { signUpByInvitation } from './sign-up-by-invitation.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { listInvitations } from './list-invitations.ts'
import { invite } from './invite.ts'
import { withdrawInvitation } from './withdraw-invitation.ts'
import { listAllInvitations } from './list-all-invitations.ts'
import { inviteAnyone } from './invite-anyone.ts'
import { withdrawAnyInvitation } from './withdraw-any-invitation.ts'

export const invitationOperations = [
  getInvitation,
  signUpByInvitation,
  acceptInvitation,
  listInvitations,
  invite,
  withdrawInvitation,
  listAllInvitations,
  inviteAnyone,
  withdrawAnyInvitation,
] as const satisfies readonly AdminOperation[]
