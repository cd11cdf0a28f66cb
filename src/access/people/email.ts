// Email address as the sign-in name. Stored and compared in one form: lower case, without surrounding spaces.
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'

const lengthMax = 254
// One @ with text on both sides, and no character with a meaning in mail headers or terminals.
const shape = /^[^\s@<>"(),;:\\\p{C}]{1,64}@[^\s@<>"(),;:\\\p{C}]{1,189}$/u

/** Throws AccountsRefusal `bad_email`. Only a mail shows whether the address exists. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= lengthMax && shape.test(email)) return email
  throw new AccountsRefusal(
    'bad_email',
    `an email address has the form name@example.org and at most ${lengthMax} characters`,
  )
}
