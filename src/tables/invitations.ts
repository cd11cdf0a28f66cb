// Table `invitation`: one-time links, and the conditions under which one can be used.
// Tested by src/access/people/invitations.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** Times are milliseconds since 1970 UTC. */
export type InvitationRow = {
  readonly id: string
  readonly role: 'operator' | 'owner' | 'member'
  readonly account_id: string | null
  readonly account_name: string | null
  readonly email: string | null
  readonly created: number
  readonly expires: number
  readonly first: number
}

const columns = `i.id, i.role, i.account_id, coalesce(a.name, i.account_name) AS account_name, i.email, i.created,
  i.expires, i.first`
/** The link of an inviter who is no longer owner or operator cannot be used, not even by the inviter. */
const inviterMay = `(i.invited_by IS NULL OR EXISTS (SELECT 1 FROM person p WHERE p.id = i.invited_by
  AND p.disabled IS NULL AND (p.operator = 1 OR (i.role <> 'operator' AND EXISTS (SELECT 1 FROM membership m
  WHERE m.person_id = p.id AND m.account_id = i.account_id AND m.role = 'owner')))))`
/** `?1`: now. */
const credentialLives = `(i.token_id IS NULL OR EXISTS (SELECT 1 FROM token t WHERE t.id = i.token_id
  AND t.revoked IS NULL AND (t.expires IS NULL OR t.expires > ?1)))`
const isOpen = `i.used IS NULL AND i.expires > ?1 AND ${inviterMay} AND ${credentialLives}`
const noOperator = 'NOT EXISTS (SELECT 1 FROM person WHERE operator = 1 AND disabled IS NULL)'

/** Finds an invitation that can be used. `hash`: sha256 of its token. */
export function findOpenInvitation(hash: Uint8Array, now: number): Query<InvitationRow> {
  return query(
    `SELECT ${columns} FROM invitation i LEFT JOIN account a ON a.id = i.account_id
      WHERE ${isOpen} AND i.token_hash = ?2`,
    [now, hash],
  )
}

/** Invitations that can be used, the newest first, at most 1,000. `accountId` null: of all accounts. */
export function listOpenInvitations(accountId: string | null, now: number): Query<InvitationRow> {
  return query(
    `SELECT ${columns} FROM invitation i LEFT JOIN account a ON a.id = i.account_id
      WHERE ${isOpen} AND (i.account_id = ?2 OR ?2 IS NULL) ORDER BY i.created DESC, i.id LIMIT 1000`,
    [now, accountId],
  )
}

/** When the latest unused link for the first operator expires; `expires` null: none. */
export function findFirstInvitationExpiry(): Query<{ readonly expires: number | null }> {
  return query('SELECT max(expires) AS expires FROM invitation WHERE first = 1 AND used IS NULL')
}

type NewInvitation = Omit<InvitationRow, 'first'> & {
  /** sha256 of its token. */
  readonly token_hash: Uint8Array
  /** ID of the inviter; null: the owner of the data folder. */
  readonly invited_by: string | null
  /** Session or token with which the person invites. */
  readonly session_id: string | null
  readonly token_id: string | null
}

/** Fails with `NothingChanged` if the account already has `openMax` usable invitations. */
export function insertInvitation(invitation: NewInvitation, openMax: number): Statement {
  const condition = `(SELECT count(*) FROM invitation i WHERE i.account_id IS NOT DISTINCT FROM ?5 AND ${isOpen}) < ?13`
  return insert({ ...invitation, first: 0 }, condition, [openMax])
}

/** Inserts the link for the first operator. Fails with `NothingChanged` if an operator exists. */
export function insertFirstInvitation(invitation: NewInvitation): Statement {
  return insert({ ...invitation, first: 1 }, noOperator, [])
}

function insert(
  invitation: NewInvitation & Pick<InvitationRow, 'first'>,
  condition: string,
  more: readonly number[],
): Statement {
  return {
    sql: `INSERT INTO invitation
      (created, id, token_hash, role, account_id, account_name, email, expires, first, invited_by, session_id, token_id)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 WHERE ${condition}`,
    parameters: [
      invitation.created,
      invitation.id,
      invitation.token_hash,
      invitation.role,
      invitation.account_id,
      invitation.account_name,
      invitation.email,
      invitation.expires,
      invitation.first,
      invitation.invited_by,
      invitation.session_id,
      invitation.token_id,
      ...more,
    ],
    require: 'change',
  }
}

/**
 * Fails with `NothingChanged` if the invitation cannot be used: it was used, expired or withdrawn, or is for the first operator
 * while an operator exists.
 */
export function useInvitation(id: string, hash: Uint8Array, now: number): Statement {
  return {
    sql: `UPDATE invitation AS i SET used = ?1 WHERE ${isOpen} AND i.id = ?2 AND i.token_hash = ?3
      AND (i.first = 0 OR ${noOperator})`,
    parameters: [now, id, hash],
    require: 'change',
  }
}

/**
 * `accountId`: only an invitation of this account; null: of any. Fails with `NothingChanged` if there is no such unused invitation.
 */
export function deleteInvitation(id: string, accountId: string | null): Statement {
  return {
    sql: 'DELETE FROM invitation WHERE id = ?1 AND used IS NULL AND (account_id = ?2 OR ?2 IS NULL)',
    parameters: [id, accountId],
    require: 'change',
  }
}

/** Deletes unused links for the first operator. */
export function deleteFirstInvitations(): Statement {
  return { sql: 'DELETE FROM invitation WHERE first = 1 AND used IS NULL', parameters: [] }
}

/** Deletes unused invitations that a person created. */
export function deleteInvitationsOf(personId: string): Statement {
  return {
    sql: 'DELETE FROM invitation WHERE invited_by = ? AND used IS NULL',
    parameters: [personId],
  }
}

/** Deletes unused invitations for operators that a person created. */
export function deleteOperatorInvitationsOf(personId: string): Statement {
  return {
    sql: `DELETE FROM invitation WHERE invited_by = ? AND used IS NULL AND role = 'operator'`,
    parameters: [personId],
  }
}

/** Deletes unused invitations that were created in one session. */
export function deleteInvitationsOfSession(session: string): Statement {
  return {
    sql: 'DELETE FROM invitation WHERE session_id = ? AND used IS NULL',
    parameters: [session],
  }
}

/** Deletes unused invitations that a person created in any session except `keep`. */
export function deleteInvitationsOfSessions(personId: string, keep: string | null): Statement {
  return {
    sql: `DELETE FROM invitation WHERE invited_by = ?1 AND used IS NULL AND session_id IS NOT NULL
      AND session_id IS DISTINCT FROM ?2`,
    parameters: [personId, keep],
  }
}

/** Deletes invitations that expired before `time`. */
export function deleteExpiredInvitations(time: number): Statement {
  return { sql: 'DELETE FROM invitation WHERE expires < ?', parameters: [time] }
}
