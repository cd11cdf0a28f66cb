// `/session`: sign in and out.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { signIn } from './sign-in.ts'
import { beginPasskeySignIn } from './begin-passkey-sign-in.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { getSignInMeans } from './get-sign-in-means.ts'
import { beginOpenIdSignIn } from './begin-openid-sign-in.ts'
import { signInWithOpenId } from './sign-in-with-openid.ts'
import { signOut } from './sign-out.ts'

export const sessionOperations = [
  signIn,
  beginPasskeySignIn,
  signInWithPasskey,
  getSignInMeans,
  beginOpenIdSignIn,
  signInWithOpenId,
  signOut,
] as const satisfies readonly AdminOperation[]
