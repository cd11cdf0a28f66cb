// `/session`: sign in and out.
// Tested by test/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { signIn } from './sign-in.ts'
import { beginPasskeySignIn } from './begin-passkey-sign-in.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { signOut } from './sign-out.ts'

export const sessionOperations = [
  signIn,
  beginPasskeySignIn,
  signInWithPasskey,
  signOut,
] as const satisfies readonly AdminOperation[]
