// `/me`: the signed-in person, their sessions, TOTP and tokens.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { whoAmI } from './who-am-i.ts'
import { changeMe } from './change-me.ts'
import { changePassword } from './change-password.ts'
import { confirmWithPassword } from './confirm-with-password.ts'
import { beginPasskeyConfirmation } from './begin-passkey-confirmation.ts'
import { confirmWithPasskey } from './confirm-with-passkey.ts'
import { beginOpenIdConfirmation } from './begin-openid-confirmation.ts'
import { confirmWithOpenId } from './confirm-with-openid.ts'
import { showSecondFactor } from './show-second-factor.ts'
import { listSessions } from './list-sessions.ts'
import { endSession } from './end-session.ts'
import { endOtherSessions } from './end-other-sessions.ts'
import { enrolTotp } from './enrol-totp.ts'
import { confirmTotp } from './confirm-totp.ts'
import { removeTotp } from './remove-totp.ts'
import { listTokens } from './list-tokens.ts'
import { createToken } from './create-token.ts'
import { revokeToken } from './revoke-token.ts'

export const ownOperations = [
  whoAmI,
  changeMe,
  changePassword,
  confirmWithPassword,
  beginPasskeyConfirmation,
  confirmWithPasskey,
  beginOpenIdConfirmation,
  confirmWithOpenId,
  showSecondFactor,
  listSessions,
  endSession,
  endOtherSessions,
  enrolTotp,
  confirmTotp,
  removeTotp,
  listTokens,
  createToken,
  revokeToken,
] as const satisfies readonly AdminOperation[]
