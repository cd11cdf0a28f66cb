// A person who signs in to the dashboard: an owner or member of accounts, which own keys, or an operator of the server.
// Tested by src/access/people/people.test.ts
import { AccountsRefusal } from '../accounts/account-rules.ts'
import type { PersonRow } from '../../tables/people.ts'

const lengthMax = 254
// One @ with text on both sides, and no character with a meaning in mail headers or terminals.
const shape = /^[^\s@<>"(),;:\\\p{C}]{1,64}@[^\s@<>"(),;:\\\p{C}]{1,189}$/u

/** Throws AccountsRefusal `bad_email`. Only a mail can prove that the address exists. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= lengthMax && shape.test(email)) return email
  throw new AccountsRefusal(
    'bad_email',
    `an email address has the form name@example.org and at most ${lengthMax} characters`,
  )
}

/** Role of a person in an account. */
export type AccountRole = 'owner' | 'member'
/** Role of a token or an invitation: `operator` has all rights in every account. */
export type Role = 'operator' | AccountRole

/** Times are milliseconds since 1970 UTC. */
export type Person = {
  readonly id: string
  /** Identifies the person at sign-in; lower case. */
  readonly email: string
  readonly name: string
  readonly isOperator: boolean
  readonly created: number
  /** Time since which sign-in is disabled, or null. */
  readonly disabled: number | null
  /** Does sign-in also require a code of an authenticator? */
  readonly hasTotp: boolean
  /** Number of passkeys that are valid for sign-in. */
  readonly passkeys: number
  /** False: sign-in is by passkey or OpenID only. */
  readonly hasPassword: boolean
  /** Issuer of their identity at an OpenID provider; null: none is linked. */
  readonly issuer: string | null
}

export function toPerson(row: PersonRow): Person {
  const { id, email, name, created, disabled, passkeys, issuer } = row
  const facts = {
    isOperator: row.operator === 1,
    hasTotp: row.has_totp === 1,
    hasPassword: row.has_password === 1,
  }
  return { id, email, name, created, disabled, passkeys, issuer, ...facts }
}

const nameMax = 100

/** Throws AccountsRefusal `bad_name`. */
export function parsePersonName(text: string): string {
  const name = text.trim()
  if (name.length > 0 && name.length <= nameMax && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return name
  throw new AccountsRefusal(
    'bad_name',
    `a person's name has 1 to ${nameMax} characters on one line`,
  )
}

export function noPerson(): AccountsRefusal {
  return new AccountsRefusal('no_person', 'there is no such person')
}
