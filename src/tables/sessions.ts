// Table `session`: sessions of the dashboard.
// Tested by src/access/people/sessions.test.ts
import { greatest, query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { deleteInvitationsOfSessions } from './invitations.ts'
import { personColumns, type PersonRow } from './people.ts'

/** Times are milliseconds since 1970 UTC. */
export type SessionRow = {
  readonly id: string
  readonly created: number
  readonly last_seen: number
  readonly expires: number
  readonly agent: string
  readonly address: string | null
}

/** A session with its person. */
export type SessionPersonRow = PersonRow &
  Pick<SessionRow, 'expires' | 'last_seen'> & {
    readonly session_id: string
    /** 1: the session has presented a second factor. */
    readonly strong: number
  }

/** Sessions of one person that expire after `now` and were used after `seenAfter`; last used first. */
export function listSessions(personId: string, now: number, seenAfter: number): Query<SessionRow> {
  return query(
    `SELECT id, created, last_seen, expires, agent, address FROM session
     WHERE person_id = ? AND expires > ? AND last_seen > ? ORDER BY last_seen DESC, id`,
    [personId, now, seenAfter],
  )
}

export function countSessions(now: number): Query<{ readonly count: number }> {
  return query('SELECT count(*) AS count FROM session WHERE expires > ?', [now])
}

export function findSessionExpiry(id: string): Query<Pick<SessionRow, 'expires'>> {
  return query('SELECT expires FROM session WHERE id = ?', [id])
}

/** No row if the person is disabled; an expired session is returned. `hash`: sha256 of the token. */
export function findSessionPerson(hash: Uint8Array): Query<SessionPersonRow> {
  return query(
    `SELECT ${personColumns}, s.id AS session_id, s.expires, s.last_seen, s.strong
     FROM session s JOIN person p ON p.id = s.person_id
     WHERE s.token_hash = ? AND p.disabled IS NULL`,
    [hash],
  )
}

/**
 * Fails with `NothingChanged` if the person is disabled, or `checked` no longer holds. `checked`: the password, a PHC string, and
 * `hasCode`, without which a person with an authenticator gets no session. Null: another credential was checked.
 */
export function insertSession(
  session: Omit<SessionRow, 'last_seen'>,
  order: {
    readonly personId: string
    /** sha256 of the token. */
    readonly hash: Uint8Array
    readonly checked: { readonly password: string; readonly hasCode: boolean } | null
    /** Whether a second factor was presented. */
    readonly strong: boolean
  },
): Statement {
  const { id, created, expires, agent, address } = session
  const { personId, hash, checked, strong } = order
  return {
    sql: `INSERT INTO session (id, person_id, token_hash, created, last_seen, expires, agent, address, strong)
      SELECT ?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?10 FROM person
      WHERE id = ?2 AND disabled IS NULL
        AND ((password = ?8 AND (totp IS NULL OR ?9 = 1)) OR ?8 IS NULL)`,
    parameters: [
      id,
      personId,
      hash,
      created,
      expires,
      agent,
      address,
      checked?.password ?? null,
      checked?.hasCode === true ? 1 : 0,
      strong ? 1 : 0,
    ],
    require: 'change',
  }
}

/** Deletes all sessions of a person except the `sessionsMax` last used ones, which include `newest`. */
export function deleteOldestSessions(
  personId: string,
  newest: string,
  sessionsMax: number,
): Statement {
  return {
    sql: `DELETE FROM session WHERE person_id = ?1 AND id NOT IN (SELECT id FROM session
      WHERE person_id = ?1 ORDER BY last_seen DESC, id = ?2 DESC LIMIT ?3)`,
    parameters: [personId, newest, sessionsMax],
  }
}

/**
 * `hash`: sha256 of the new token. `strong`: the session presented a second factor; it is never reset. Fails with `NothingChanged`
 * if the session has ended.
 */
export function setSessionToken(id: string, hash: Uint8Array, strong: boolean): Statement {
  const sql = `UPDATE session SET token_hash = ?1, strong = ${greatest('strong', '?2')} WHERE id = ?3`
  return { sql, parameters: [hash, strong ? 1 : 0, id], require: 'change' }
}

export function noteSessionSeen(id: string, now: number): Statement {
  const sql = `UPDATE session SET last_seen = ${greatest('last_seen', '?1')} WHERE id = ?2`
  return { sql, parameters: [now, id] }
}

/** Fails with `NothingChanged` if this person has no such session. */
export function deleteOwnSession(id: string, personId: string): Statement {
  const sql = 'DELETE FROM session WHERE id = ? AND person_id = ?'
  return { sql, parameters: [id, personId], require: 'change' }
}

export function deleteSession(id: string): Statement {
  return { sql: 'DELETE FROM session WHERE id = ?', parameters: [id] }
}

/** Deletes all sessions of a person except `keep`. */
export function deleteSessions(personId: string, keep: string | null = null): Statement {
  return {
    sql: 'DELETE FROM session WHERE person_id = ? AND id IS DISTINCT FROM ?',
    parameters: [personId, keep],
  }
}

/** Deletes sessions that expired by `now` or were not used after `seenAfter`. */
export function deleteExpiredSessions(now: number, seenAfter: number): Statement {
  const sql = 'DELETE FROM session WHERE expires <= ? OR last_seen <= ?'
  return { sql, parameters: [now, seenAfter] }
}

/**
 * Statements for a change of a person's sign-in: end all their sessions except `keep`, and the open invitations created in these
 * sessions. Invitations created with tokens end with their token.
 */
export function endCredentials(personId: string, keep: string | null = null): readonly Statement[] {
  return [deleteSessions(personId, keep), deleteInvitationsOfSessions(personId, keep)]
}
