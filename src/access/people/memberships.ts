// Members and owners of accounts. An account that has an owner keeps at least one, unless an operator forces the change.
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { findAccountById } from '../../tables/accounts.ts'
import {
  deleteMembership,
  findRole,
  joinAccount,
  listAccountsOf,
  listMembers,
  type MemberRow,
  setRole,
} from '../../tables/memberships.ts'
import { personExists } from '../../tables/people.ts'
import { deleteSessions } from '../../tables/sessions.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { type AccountRole, noPerson, type Person, toPerson } from './person.ts'
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
} & Pick<Person, 'hasTotp' | 'passkeys' | 'hasPassword' | 'issuer'>

/**
 * `ownerless`: permits an account without an owner who can sign in; for operators. `keepSession`: a session of the person that
 * remains valid and must be renewed.
 */
type Leaving = { readonly ownerless?: boolean; readonly keepSession?: string | null }

/** Throws AccountsRefusal: `no_member`, `no_account`, `no_person`, `last_owner`. Durable on return. */
export type Memberships = {
  /** Sorted by account name. */
  ofPerson(personId: string): Promise<readonly Membership[]>
  /** Sorted by email. */
  ofAccount(accountId: string): Promise<readonly Member[]>
  /** Adds a person as member or owner without an invitation. An owner remains an owner. */
  put(accountId: string, personId: string, role: AccountRole): Promise<void>
  /** Ends the person's sessions: a new role needs a new token. */
  changeRole(
    accountId: string,
    personId: string,
    role: AccountRole,
    leaving?: Leaving,
  ): Promise<void>
  remove(accountId: string, personId: string, leaving?: Leaving): Promise<void>
}

export function createMemberships(parts: {
  readonly rows: Rows
  readonly clock: Clock
}): Memberships {
  const { rows, clock } = parts

  async function roleOf(accountId: string, personId: string): Promise<AccountRole | null> {
    return (await rows.first(findRole(accountId, personId)))?.role ?? null
  }

  async function leave(
    statement: Statement,
    accountId: string,
    personId: string,
    keepSession: string | null,
  ): Promise<void> {
    if ((await roleOf(accountId, personId)) === null) throw noMember()
    const statements = [statement, deleteSessions(personId, keepSession)]
    await conditionalWrite(rows, statements, async () =>
      (await roleOf(accountId, personId)) === null ? noMember() : lastOwner(),
    )
  }

  return {
    async ofPerson(personId) {
      const found = await rows.find(listAccountsOf(personId))
      return found.map(({ account_id: accountId, name: accountName, role }) => ({
        accountId,
        accountName,
        role,
      }))
    },

    async ofAccount(accountId) {
      const found = await rows.find(listMembers(accountId))
      return found.map(toMember)
    },

    async put(accountId, personId, role) {
      if ((await rows.first(findAccountById(accountId))) === null) {
        throw new AccountsRefusal('no_account', 'no account has this id')
      }
      if ((await rows.first(personExists(personId))) === null) throw noPerson()
      await rows.write([joinAccount({ accountId, personId, role, now: clock.now() })])
    },

    async changeRole(accountId, personId, role, { ownerless = false, keepSession = null } = {}) {
      if ((await roleOf(accountId, personId)) === role) return
      const statement = setRole({ accountId, personId, ownerless }, role)
      await leave(statement, accountId, personId, keepSession)
    },

    async remove(accountId, personId, { ownerless = false, keepSession = null } = {}) {
      const statement = deleteMembership({ accountId, personId, ownerless })
      await leave(statement, accountId, personId, keepSession)
    },
  }
}

function toMember(row: MemberRow): Member {
  const { id, email, name, disabled, hasTotp, passkeys, hasPassword, issuer } = toPerson(row)
  const { role, since } = row
  const means = { hasTotp, passkeys, hasPassword, issuer }
  return { personId: id, email, name, role, since, disabled: disabled !== null, ...means }
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
