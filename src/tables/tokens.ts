// Table `token`: access tokens of people, for programs.
// Tested by src/access/people/access-tokens.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { personColumns, type PersonRow } from './people.ts'

/** Times are milliseconds since 1970 UTC. */
export type TokenRow = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly role: 'operator' | 'owner' | 'member'
  readonly created: number
  readonly expires: number | null
  readonly revoked: number | null
  /** UTC day `2026-01-31`. */
  readonly last_used_day: string | null
}

/** A token with its person. */
export type TokenPersonRow = PersonRow &
  Pick<TokenRow, 'role' | 'expires' | 'last_used_day'> & { readonly token_id: string }

/** Tokens of one person, the newest first. */
export function listTokens(personId: string): Query<TokenRow> {
  return query(
    `SELECT id, name, prefix, role, created, expires, revoked, last_used_day
     FROM token WHERE person_id = ? ORDER BY created DESC, id`,
    [personId],
  )
}

/** No row if it is revoked or its person is disabled; an expired token is returned. `hash`: sha256 of the token. */
export function findTokenPerson(hash: Uint8Array): Query<TokenPersonRow> {
  return query(
    `SELECT ${personColumns}, t.id AS token_id, t.expires, t.last_used_day, t.role
     FROM token t JOIN person p ON p.id = t.person_id
     WHERE t.token_hash = ? AND t.revoked IS NULL AND p.disabled IS NULL`,
    [hash],
  )
}

/** Fails with `NothingChanged` if the person already has `perPersonMax` usable tokens. */
export function insertToken(
  token: Pick<TokenRow, 'id' | 'name' | 'prefix' | 'role' | 'created' | 'expires'>,
  order: {
    readonly personId: string
    readonly hash: Uint8Array
    readonly perPersonMax: number
  },
): Statement {
  const { id, name, prefix, role, created, expires } = token
  const { personId, hash, perPersonMax } = order
  return {
    sql: `INSERT INTO token (id, person_id, token_hash, name, prefix, role, created, expires)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE (SELECT count(*) FROM token WHERE person_id = ?2
      AND revoked IS NULL AND (expires IS NULL OR expires > ?7)) < ?9`,
    parameters: [id, personId, hash, name, prefix, role, created, expires, perPersonMax],
    require: 'change',
  }
}

/** Deletes a person's tokens that were revoked or expired before `time`. */
export function deleteOldTokens(personId: string, time: number): Statement {
  return {
    sql: 'DELETE FROM token WHERE person_id = ?1 AND (revoked < ?2 OR expires < ?2)',
    parameters: [personId, time],
  }
}

/** Fails with `NothingChanged` if this person has no such token, or it is already revoked. */
export function revokeToken(id: string, personId: string, now: number): Statement {
  return {
    sql: 'UPDATE token SET revoked = ? WHERE id = ? AND person_id = ? AND revoked IS NULL',
    parameters: [now, id, personId],
    require: 'change',
  }
}

/** Demotes a person's operator tokens to owner tokens. */
export function demoteTokens(personId: string): Statement {
  return {
    sql: `UPDATE token SET role = 'owner' WHERE person_id = ? AND role = 'operator'`,
    parameters: [personId],
  }
}

export function noteTokenUse(id: string, day: string): Statement {
  return { sql: 'UPDATE token SET last_used_day = ? WHERE id = ?', parameters: [day, id] }
}
