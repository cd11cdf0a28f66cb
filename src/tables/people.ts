// Table `person`: identity, password and authenticator of each person. Rows are never deleted.
// Tested by src/access/people/people.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type PersonRow = {
  readonly id: string
  readonly email: string
  readonly name: string
  /** 0 or 1. */
  readonly operator: number
  /** Milliseconds since 1970 UTC. */
  readonly created: number
  /** Milliseconds since 1970 UTC, or null. */
  readonly disabled: number | null
  /** 1: the person has a confirmed authenticator. */
  readonly has_totp: number
  /** Number of passkeys. */
  readonly passkeys: number
  /** 0: the person signs in only by other means. */
  readonly has_password: number
  /** Issuer of the newest identity at an OpenID provider, or null. */
  readonly issuer: string | null
}

/** The columns of PersonRow, from `person p`. */
export const personColumns = `p.id, p.email, p.name, p.operator, p.created, p.disabled,
  p.totp IS NOT NULL AS has_totp,
  (SELECT count(*) FROM passkey k WHERE k.person_id = p.id) AS passkeys,
  p.password <> '' AS has_password,
  (SELECT i.issuer FROM identity i WHERE i.person_id = p.id ORDER BY i.created DESC LIMIT 1) AS issuer`

export type PasswordRow = {
  readonly id: string
  readonly email: string
  /** PHC string; null: the person has no password. */
  readonly password: string | null
  readonly disabled: number | null
  readonly has_totp: number
}

// Without a password the column is empty, because it has been NOT NULL since the first version.
const passwordColumns =
  "id, email, nullif(password, '') AS password, disabled, totp IS NOT NULL AS has_totp"

/** Secrets are encrypted. */
export type AuthenticatorRow = {
  readonly email: string
  readonly totp: Uint8Array | null
  /** Not confirmed yet. */
  readonly totp_new: Uint8Array | null
}

export function findPersonById(id: string): Query<PersonRow> {
  return query(`SELECT ${personColumns} FROM person p WHERE p.id = ?`, [id])
}

export function findPersonByEmail(email: string): Query<PersonRow> {
  return query(`SELECT ${personColumns} FROM person p WHERE p.email = ?`, [email])
}

/** Ordered by email. */
export function listPeople(after: string, limit: number): Query<PersonRow> {
  return query(`SELECT ${personColumns} FROM person p WHERE p.email > ? ORDER BY p.email LIMIT ?`, [
    after,
    limit,
  ])
}

/** Returns one row if a person exists. */
export function personExists(id: string): Query<{ readonly found: 1 }> {
  return query('SELECT 1 AS found FROM person WHERE id = ?', [id])
}

export function countPeople(): Query<{ readonly count: number }> {
  return query('SELECT count(*) AS count FROM person')
}

/** Returns one row if an operator can sign in. */
export function operatorExists(): Query<{ readonly found: 1 }> {
  return query('SELECT 1 AS found FROM person WHERE operator = 1 AND disabled IS NULL LIMIT 1')
}

/** Operators who can sign in, ordered by email. */
export function listOperators(): Query<PersonRow> {
  return query(
    `SELECT ${personColumns} FROM person p
      WHERE p.operator = 1 AND p.disabled IS NULL ORDER BY p.email`,
  )
}

/** Emails of people with an authenticator, sorted. */
export function listAuthenticatorEmails(): Query<Pick<PersonRow, 'email'>> {
  return query('SELECT email FROM person WHERE totp IS NOT NULL ORDER BY email')
}

export function findPassword(id: string): Query<PasswordRow> {
  return query(`SELECT ${passwordColumns} FROM person WHERE id = ?`, [id])
}

export function findPasswordByEmail(email: string): Query<PasswordRow> {
  return query(`SELECT ${passwordColumns} FROM person WHERE email = ?`, [email])
}

export function findAuthenticator(id: string): Query<AuthenticatorRow> {
  return query('SELECT email, totp, totp_new FROM person WHERE id = ?', [id])
}

/** Fails with `NothingChanged` if a person has this email. `password`: PHC string, or null. */
export function insertPerson(
  person: Pick<PersonRow, 'id' | 'email' | 'name' | 'created'> & {
    readonly password: string | null
  },
): Statement {
  const { id, email, name, password, created } = person
  return {
    sql: `INSERT INTO person (id, email, name, password, created) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (email) DO NOTHING`,
    parameters: [id, email, name, password ?? '', created],
    require: 'change',
  }
}

export function setName(id: string, name: string): Statement {
  const sql = 'UPDATE person SET name = ? WHERE id = ?'
  return { sql, parameters: [name, id], require: 'change' }
}

/** `password`: PHC string. */
export function setPassword(id: string, password: string): Statement {
  const sql = 'UPDATE person SET password = ? WHERE id = ?'
  return { sql, parameters: [password, id], require: 'change' }
}

/** An operator other than `?2` can sign in, or `?2` is not an operator. */
const notLastOperator = `(operator = 0 OR disabled IS NOT NULL OR EXISTS
  (SELECT 1 FROM person other WHERE other.operator = 1 AND other.disabled IS NULL AND other.id <> ?2))`

/** Fails with `NothingChanged` if this is the last operator who can sign in. */
export function disablePerson(id: string, now: number): Statement {
  return {
    sql: `UPDATE person SET disabled = coalesce(disabled, ?1) WHERE id = ?2 AND ${notLastOperator}`,
    parameters: [now, id],
    require: 'change',
  }
}

export function enablePerson(id: string): Statement {
  const sql = 'UPDATE person SET disabled = NULL WHERE id = ?'
  return { sql, parameters: [id], require: 'change' }
}

/** Fails with `NothingChanged` if this demotes the last operator who can sign in. */
export function setOperator(id: string, isOperator: boolean): Statement {
  return {
    sql: `UPDATE person SET operator = ?1 WHERE id = ?2 AND (?1 = 1 OR ${notLastOperator})`,
    parameters: [isOperator ? 1 : 0, id],
    require: 'change',
  }
}

/** The person must exist. */
export function promotePerson(id: string): Statement {
  return { sql: 'UPDATE person SET operator = 1 WHERE id = ?', parameters: [id] }
}

/** Sets an authenticator that is not confirmed yet; `secret`: encrypted. */
export function setNewAuthenticator(id: string, secret: Uint8Array): Statement {
  const sql = 'UPDATE person SET totp_new = ? WHERE id = ?'
  return { sql, parameters: [secret, id], require: 'change' }
}

/** Fails with `NothingChanged` if `secret` is no longer the unconfirmed one. `step`: time step of the confirming code, RFC 6238. */
export function confirmAuthenticator(id: string, secret: Uint8Array, step: number): Statement {
  return {
    sql: `UPDATE person SET totp = totp_new, totp_new = NULL, totp_step = ?
      WHERE id = ? AND totp_new = ?`,
    parameters: [step, id, secret],
    require: 'change',
  }
}

/**
 * Accepts a code only once, RFC 6238 5.2: changes nothing if a code of this or a later step was accepted, or `secret` is no longer
 * the authenticator's.
 */
export function useAuthenticatorStep(id: string, secret: Uint8Array, step: number): Statement {
  const sql = 'UPDATE person SET totp_step = ?1 WHERE id = ?2 AND totp_step < ?1 AND totp = ?3'
  return { sql, parameters: [step, id, secret], require: 'change' }
}

export function clearAuthenticator(id: string): Statement {
  const sql = 'UPDATE person SET totp = NULL, totp_new = NULL WHERE id = ?'
  return { sql, parameters: [id] }
}
