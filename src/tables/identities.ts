// Table `identity`: links a person to an account at an OpenID provider, by issuer and subject.
// Tested by test/admin/openid.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** Times are milliseconds since 1970 UTC. */
export type IdentityRow = {
  readonly issuer: string
  readonly subject: string
  readonly person_id: string
  /** As last reported by the provider; null: not reported. */
  readonly email: string | null
  readonly created: number
  readonly last_used: number | null
}

/** `issuer` and `subject` together name one identity. */
type IdentityName = Pick<IdentityRow, 'issuer' | 'subject'>

const columns = 'issuer, subject, person_id, email, created, last_used'

export function findIdentity({ issuer, subject }: IdentityName): Query<IdentityRow> {
  return query(`SELECT ${columns} FROM identity WHERE issuer = ? AND subject = ?`, [
    issuer,
    subject,
  ])
}

/** Fails with `NothingChanged` if the identity belongs to a person, or the person has one of this issuer. */
export function insertIdentity(identity: Omit<IdentityRow, 'last_used'>): Statement {
  const { issuer, subject, person_id: personId, email, created } = identity
  return {
    sql: `INSERT INTO identity (issuer, subject, person_id, email, created) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
    parameters: [issuer, subject, personId, email, created],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if the identity no longer belongs to this person. */
export function useIdentity(
  { issuer, subject, person_id: personId, email }: Omit<IdentityRow, 'created' | 'last_used'>,
  now: number,
): Statement {
  return {
    sql: `UPDATE identity SET last_used = ?, email = coalesce(?, email)
      WHERE issuer = ? AND subject = ? AND person_id = ?`,
    parameters: [now, email, issuer, subject, personId],
    require: 'change',
  }
}

/** Deletes all identities of a person. Fails with `NothingChanged` if there is none. */
export function deleteIdentities(personId: string): Statement {
  const sql = 'DELETE FROM identity WHERE person_id = ?'
  return { sql, parameters: [personId], require: 'change' }
}
