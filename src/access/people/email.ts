// The name somebody signs in by. One form of it is stored and compared: lower case, without space around it.
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'

const lengthMax = 254
// One @ with something on both sides, and nothing that a mail header or a terminal would take for its own.
const shape = /^[^\s@<>"(),;:\\\p{C}]{1,64}@[^\s@<>"(),;:\\\p{C}]{1,189}$/u

/** Throws AccountsRefusal `bad_email`. Mail is what shows whether it exists. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= lengthMax && shape.test(email)) return email
  throw new AccountsRefusal(
    'bad_email',
    `an email address has the form name@example.org and at most ${lengthMax} characters`,
  )
}
