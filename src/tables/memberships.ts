// Table `membership`: roles of people in accounts.
// Tested by src/access/people/memberships.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { personColumns, type PersonRow } from './people.ts'

type MemberRole = 'owner' | 'member'

export type MemberRow = PersonRow & {
  readonly role: MemberRole
  /** Milliseconds since 1970 UTC. */
  readonly since: number
}

export type RoleRow = { readonly account_id: string; readonly role: MemberRole }

export function findRole(
  accountId: string,
  personId: string,
): Query<{ readonly role: MemberRole }> {
  const sql = 'SELECT role FROM membership WHERE account_id = ? AND person_id = ?'
  return query(sql, [accountId, personId])
}

/** Accounts of a person, ordered by name. */
export function listAccountsOf(personId: string): Query<RoleRow & { readonly name: string }> {
  return query(
    `SELECT m.account_id, a.name, m.role FROM membership m JOIN account a ON a.id = m.account_id
     WHERE m.person_id = ? ORDER BY a.name`,
    [personId],
  )
}

/** People of an account, ordered by email. */
export function listMembers(accountId: string): Query<MemberRow> {
  return query(
    `SELECT ${personColumns}, m.role, m.created AS since
     FROM membership m JOIN person p ON p.id = m.person_id WHERE m.account_id = ? ORDER BY p.email`,
    [accountId],
  )
}

/** Roles of the person who owns a session; `hash`: sha256 of its token. */
export function listRolesOfSession(hash: Uint8Array): Query<RoleRow> {
  return query(
    `SELECT m.account_id, m.role FROM membership m
     WHERE m.person_id = (SELECT person_id FROM session WHERE token_hash = ?)`,
    [hash],
  )
}

/** Roles of the person who owns an access token; `hash`: sha256 of it. */
export function listRolesOfToken(hash: Uint8Array): Query<RoleRow> {
  return query(
    `SELECT m.account_id, m.role FROM membership m
     WHERE m.person_id = (SELECT person_id FROM token WHERE token_hash = ?)`,
    [hash],
  )
}

/** Accounts that have members, but no owner who can sign in; ordered by name. */
export function listOwnerlessAccounts(limit: number): Query<{ readonly name: string }> {
  return query(
    `SELECT a.name FROM account a WHERE EXISTS (SELECT 1 FROM membership m WHERE m.account_id = a.id)
      AND NOT EXISTS (SELECT 1 FROM membership m JOIN person p ON p.id = m.person_id
        WHERE m.account_id = a.id AND m.role = 'owner' AND p.disabled IS NULL) ORDER BY a.name LIMIT ?`,
    [limit],
  )
}

/** Sets the role in an account; never demotes an owner. */
export function joinAccount(order: {
  readonly accountId: string
  readonly personId: string
  readonly role: MemberRole
  readonly now: number
}): Statement {
  const { accountId, personId, role, now } = order
  return {
    sql: `INSERT INTO membership (account_id, person_id, role, created) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role WHERE excluded.role = 'owner'`,
    parameters: [accountId, personId, role, now],
  }
}

/** An owner of account `?1` other than `?2` can sign in, or `?2` is not an owner; `?3` 1: always true. */
const notLastOwner = `(?3 = 1 OR role <> 'owner' OR EXISTS (SELECT 1 FROM membership other
  JOIN person p ON p.id = other.person_id WHERE other.account_id = ?1 AND other.role = 'owner'
  AND p.disabled IS NULL AND other.person_id <> ?2))`

/** `ownerless`: also permits removing the last owner who can sign in. */
type Leaving = {
  readonly accountId: string
  readonly personId: string
  readonly ownerless: boolean
}

/** Fails with `NothingChanged` if this person is not a member of the account, or is its last owner who can sign in. */
export function setRole({ accountId, personId, ownerless }: Leaving, role: MemberRole): Statement {
  return {
    sql: `UPDATE membership SET role = ?4 WHERE account_id = ?1 AND person_id = ?2
      AND (?4 = 'owner' OR ${notLastOwner})`,
    parameters: [accountId, personId, ownerless ? 1 : 0, role],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if this person is not a member of the account, or is its last owner who can sign in. */
export function deleteMembership({ accountId, personId, ownerless }: Leaving): Statement {
  return {
    sql: `DELETE FROM membership WHERE account_id = ?1 AND person_id = ?2 AND ${notLastOwner}`,
    parameters: [accountId, personId, ownerless ? 1 : 0],
    require: 'change',
  }
}
