// Members and owners of accounts. An account that has an owner keeps at least one, unless an operator forces the change.
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement, Writer } from '../../db/writer.ts'
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'
import { endSessions } from './people.ts'
import type { AccountRole } from './person.ts'
import { conditionalWrite } from './conditional-write.ts'

type Membership = {
  readonly accountId: string
  readonly accountName: string
  readonly role: AccountRole
}

type Member = {
  readonly personId: string
  readonly email: string
  readonly name: string
  readonly role: AccountRole
  /** Milliseconds since 1970 UTC. */
  readonly since: number
  readonly disabled: boolean
  readonly hasTotp: boolean
}

/**
 * `ownerless`: the account may be left without an owner who can sign in; for operators. `keepSession`: a session of the
 * person that stays valid and must be renewed.
 */
type Leaving = { readonly ownerless?: boolean; readonly keepSession?: string | null }

/** Throws AccountsRefusal: `no_member`, `no_account`, `no_person`, `last_owner`. Durable on return. */
export type Memberships = {
  /** By the account's name. */
  ofPerson(personId: string): readonly Membership[]
  /** By email. */
  ofAccount(accountId: string): readonly Member[]
  /** Adds a person as member or owner without an invitation. An owner stays one. */
  put(accountId: string, personId: string, role: AccountRole): Promise<void>
  /** Ends their sessions: a new role comes with a new token. */
  changeRole(
    accountId: string,
    personId: string,
    role: AccountRole,
    leaving?: Leaving,
  ): Promise<void>
  remove(accountId: string, personId: string, leaving?: Leaving): Promise<void>
}

export function createMemberships(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
}): Memberships {
  const { db, writer, clock } = parts

  function findRole(accountId: string, personId: string): AccountRole | null {
    const sql = 'SELECT role FROM membership WHERE account_id = ? AND person_id = ?'
    return db.getValue<AccountRole>(sql, [accountId, personId])
  }

  async function leave(
    statement: Statement,
    accountId: string,
    personId: string,
    keepSession: string | null,
  ): Promise<void> {
    if (findRole(accountId, personId) === null) throw noMember()
    const statements = [
      { ...statement, require: 'change' as const },
      endSessions(personId, keepSession),
    ]
    await conditionalWrite(writer, statements, () =>
      findRole(accountId, personId) === null ? noMember() : lastOwner(),
    )
  }

  return {
    ofPerson(personId) {
      const sql = `SELECT m.account_id, a.name, m.role FROM membership m JOIN account a ON a.id = m.account_id
        WHERE m.person_id = ? ORDER BY a.name`
      return db
        .all<{ account_id: string; name: string; role: AccountRole }>(sql, [personId])
        .map(({ account_id: accountId, name: accountName, role }) => ({
          accountId,
          accountName,
          role,
        }))
    },

    ofAccount(accountId) {
      const sql = `SELECT p.id, p.email, p.name, m.role, m.created, p.disabled, p.totp IS NOT NULL AS has_totp
        FROM membership m JOIN person p ON p.id = m.person_id WHERE m.account_id = ? ORDER BY p.email`
      return db.all<MemberRow>(sql, [accountId]).map((row) => ({
        personId: row.id,
        email: row.email,
        name: row.name,
        role: row.role,
        since: row.created,
        disabled: row.disabled !== null,
        hasTotp: row.has_totp === 1,
      }))
    },

    async put(accountId, personId, role) {
      const found = { account: 'no account has this id', person: 'there is no such person' }
      if (db.getValue('SELECT 1 FROM account WHERE id = ?', [accountId]) === null) {
        throw new AccountsRefusal('no_account', found.account)
      }
      if (db.getValue('SELECT 1 FROM person WHERE id = ?', [personId]) === null) {
        throw new AccountsRefusal('no_person', found.person)
      }
      await writer.write([joinAccount({ accountId, personId, role, now: clock.now() })])
    },

    async changeRole(accountId, personId, role, { ownerless = false, keepSession = null } = {}) {
      if (findRole(accountId, personId) === role) return
      const sql = `UPDATE membership SET role = ?4 WHERE account_id = ?1 AND person_id = ?2
        AND (?4 = 'owner' OR ${notLastOwner})`
      const parameters = [accountId, personId, ownerless ? 1 : 0, role]
      await leave({ sql, parameters }, accountId, personId, keepSession)
    },

    async remove(accountId, personId, { ownerless = false, keepSession = null } = {}) {
      const sql = `DELETE FROM membership WHERE account_id = ?1 AND person_id = ?2 AND ${notLastOwner}`
      const parameters = [accountId, personId, ownerless ? 1 : 0]
      await leave({ sql, parameters }, accountId, personId, keepSession)
    },
  }
}

type MemberRow = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: AccountRole
  readonly created: number
  readonly disabled: number | null
  readonly has_totp: number
}

/** Of the person `?2` in the account `?1`; `?3` 1: never mind. */
const notLastOwner = `(?3 = 1 OR role <> 'owner' OR EXISTS (SELECT 1 FROM membership other
  JOIN person p ON p.id = other.person_id WHERE other.account_id = ?1 AND other.role = 'owner'
  AND p.disabled IS NULL AND other.person_id <> ?2))`

/** Sets the role in an account; joining never demotes an owner. */
export function joinAccount(order: {
  readonly accountId: string
  readonly personId: string
  readonly role: AccountRole
  readonly now: number
}): Statement {
  const { accountId, personId, role, now } = order
  return {
    sql: `INSERT INTO membership (account_id, person_id, role, created) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role WHERE excluded.role = 'owner'`,
    parameters: [accountId, personId, role, now],
  }
}

function noMember(): AccountsRefusal {
  return new AccountsRefusal('no_member', 'this person is not of the account')
}

function lastOwner(): AccountsRefusal {
  return new AccountsRefusal(
    'last_owner',
    'this is the last owner who can sign in: make another person owner first',
  )
}
