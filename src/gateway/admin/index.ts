// All admin operations. Order is that of the OpenAPI document.
// Tested by test/admin.test.ts
import type { AdminOperation } from './admin-operation.ts'
import { addMember } from './add-member.ts'
import { addPasskey } from './add-passkey.ts'
import { addPublicKey } from './add-public-key.ts'
import { beginCard } from './begin-card.ts'
import { beginPasskeyConfirmation } from './begin-passkey-confirmation.ts'
import { beginPasskey } from './begin-passkey.ts'
import { beginPasskeySignIn } from './begin-passkey-sign-in.ts'
import { changeAccount } from './change-account.ts'
import { changeAlerts } from './change-alerts.ts'
import { changeKey } from './change-key.ts'
import { changeMe } from './change-me.ts'
import { changeMember } from './change-member.ts'
import { changePassword } from './change-password.ts'
import { changePerson } from './change-person.ts'
import { clearRequests } from './clear-requests.ts'
import { confirmTotp } from './confirm-totp.ts'
import { confirmWithPasskey } from './confirm-with-passkey.ts'
import { confirmWithPassword } from './confirm-with-password.ts'
import { createAccount } from './create-account.ts'
import { createKey } from './create-key.ts'
import { createToken } from './create-token.ts'
import { endOtherSessions } from './end-other-sessions.ts'
import { endSession } from './end-session.ts'
import { endSessionsOf } from './end-sessions-of.ts'
import { enrolTotp } from './enrol-totp.ts'
import { exportAllUsage } from './export-all-usage.ts'
import { exportUsage } from './export-usage.ts'
import { findKey } from './find-key.ts'
import { followAllUsage } from './follow-all-usage.ts'
import { followUsage } from './follow-usage.ts'
import { getAccount } from './get-account.ts'
import { getAllUsage } from './get-all-usage.ts'
import { getAlerts } from './get-alerts.ts'
import { getCard } from './get-card.ts'
import { getKeyUsage } from './get-key-usage.ts'
import { getKey } from './get-key.ts'
import { getPerson } from './get-person.ts'
import { getRequest } from './get-request.ts'
import { getStatus } from './get-status.ts'
import { getUsage } from './get-usage.ts'
import { inviteAnyone } from './invite-anyone.ts'
import { invite } from './invite.ts'
import { leaveAccount } from './leave-account.ts'
import { listAccounts } from './list-accounts.ts'
import { listAllAudit } from './list-all-audit.ts'
import { listAllInvitations } from './list-all-invitations.ts'
import { listAllKeys } from './list-all-keys.ts'
import { listAllUsage } from './list-all-usage.ts'
import { listAudit } from './list-audit.ts'
import { listFiles } from './list-files.ts'
import { listInvitations } from './list-invitations.ts'
import { listKeys } from './list-keys.ts'
import { listMembers } from './list-members.ts'
import { listPasskeys } from './list-passkeys.ts'
import { listPeople } from './list-people.ts'
import { listPlans } from './list-plans.ts'
import { listPublicKeys } from './list-public-keys.ts'
import { listRequests } from './list-requests.ts'
import { listSessions } from './list-sessions.ts'
import { listStorage } from './list-storage.ts'
import { listTokens } from './list-tokens.ts'
import { listUpstreams } from './list-upstreams.ts'
import { listUsage } from './list-usage.ts'
import { lookAtInvitation } from './look-at-invitation.ts'
import { markCard } from './mark-card.ts'
import { refreshCard } from './refresh-card.ts'
import { removeCard } from './remove-card.ts'
import { removeMember } from './remove-member.ts'
import { removePasskey } from './remove-passkey.ts'
import { removePublicKey } from './remove-public-key.ts'
import { removeTotp } from './remove-totp.ts'
import { replayRequest } from './replay-request.ts'
import { resetTotp } from './reset-totp.ts'
import { revokeKey } from './revoke-key.ts'
import { revokeToken } from './revoke-token.ts'
import { rotateKey } from './rotate-key.ts'
import { rotateSecret } from './rotate-secret.ts'
import { setPassword } from './set-password.ts'
import { signIn } from './sign-in.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { signOut } from './sign-out.ts'
import { takeInvitationAsNew } from './take-invitation-as-new.ts'
import { takeInvitation } from './take-invitation.ts'
import { tryKey } from './try-key.ts'
import { watchRequests } from './watch-requests.ts'
import { whoAmI } from './who-am-i.ts'
import { withdrawAnyInvitation } from './withdraw-any-invitation.ts'
import { withdrawInvitation } from './withdraw-invitation.ts'

export const adminOperations = [
  signIn,
  beginPasskeySignIn,
  signInWithPasskey,
  signOut,
  whoAmI,
  changeMe,
  changePassword,
  confirmWithPassword,
  beginPasskeyConfirmation,
  confirmWithPasskey,
  listSessions,
  endSession,
  endOtherSessions,
  enrolTotp,
  confirmTotp,
  removeTotp,
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
  listTokens,
  createToken,
  revokeToken,
  lookAtInvitation,
  takeInvitationAsNew,
  takeInvitation,
  listMembers,
  addMember,
  changeMember,
  removeMember,
  leaveAccount,
  listInvitations,
  invite,
  withdrawInvitation,
  listAudit,
  listPeople,
  getPerson,
  changePerson,
  resetTotp,
  setPassword,
  endSessionsOf,
  listAllInvitations,
  inviteAnyone,
  withdrawAnyInvitation,
  listAllAudit,
  getStatus,
  listUpstreams,
  listStorage,
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  getCard,
  beginCard,
  refreshCard,
  removeCard,
  markCard,
  listFiles,
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
  listRequests,
  watchRequests,
  getRequest,
  clearRequests,
  replayRequest,
  tryKey,
  getAlerts,
  changeAlerts,
  getUsage,
  getKeyUsage,
  getAllUsage,
  listUsage,
  listAllUsage,
  exportUsage,
  exportAllUsage,
  followUsage,
  followAllUsage,
] as const satisfies readonly AdminOperation[]
