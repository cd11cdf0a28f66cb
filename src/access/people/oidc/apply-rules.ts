// Gives a person the roles of the sign-in rules, and removes roles that rules gave before and no longer give. Roles given by people
// remain.
// The last operator and the last owner of an account keep their role. Each change is an audit entry.
// Tested by test/admin/openid-rules.test.ts
import type { Log } from '../../../base/log.ts'
import type { Rows } from '../../../db/rows.ts'
import { findAccountById, findAccountByName } from '../../../tables/accounts.ts'
import { findRole } from '../../../tables/memberships.ts'
import {
  deleteRuleGrant,
  listRuleGrants,
  putRuleGrant,
  type RuleGrantRow,
} from '../../../tables/rule-grants.ts'
import { AccountsRefusal } from '../../accounts/account-rules.ts'
import type { AuditLog } from '../audit-log.ts'
import type { Memberships } from '../memberships.ts'
import type { People } from '../people.ts'
import type { AccountRole, Person } from '../person.ts'
import type { IdentityClaims } from './identity-claims.ts'
import { applyRules, type SignInRule } from './sign-in-rules.ts'

/** `account_id` of the operator role. */
const server = ''

/** Durable when it resolves. The next sign-in completes an interrupted run. */
export type RoleRules = {
  apply(
    person: Pick<Person, 'id' | 'email'>,
    claims: Pick<IdentityClaims, 'email' | 'groups'>,
    rules: readonly SignInRule[],
  ): Promise<void>
}

export function createRoleRules(parts: {
  readonly rows: Rows
  readonly people: People
  readonly memberships: Memberships
  readonly audit: AuditLog
  readonly log: Log
}): RoleRules {
  const { rows, people, memberships, audit, log } = parts

  async function record(
    { id: personId, email }: Pick<Person, 'id' | 'email'>,
    accountId: string,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await audit.record({
      actor: { personId, email },
      accountId: accountId === server ? null : accountId,
      action: 'applySignInRule',
      target: personId,
      targetName: email,
      changes,
    })
  }

  async function accountIdOf(name: string): Promise<string | null> {
    const found =
      (await rows.first(findAccountById(name))) ?? (await rows.first(findAccountByName(name)))
    if (found === null) log('warn', 'sign_in_rule_without_account', { account: name })
    return found?.id ?? null
  }

  async function grant(
    person: Pick<Person, 'id' | 'email'>,
    accountId: string,
    role: 'operator' | AccountRole,
  ): Promise<void> {
    const { id } = person
    if (role === 'operator') {
      if ((await people.get(id)).isOperator) return
      await rows.write([putRuleGrant(id, { account_id: server, role, before: null })])
      await people.setOperator(id, true)
    } else {
      const before = (await rows.first(findRole(accountId, id)))?.role ?? null
      if (before === role || before === 'owner') return
      await rows.write([putRuleGrant(id, { account_id: accountId, role, before })])
      await memberships.put(accountId, id, role)
    }
    await record(person, accountId, { role, granted: true })
  }

  /** `role`: the role that the rules give now; null: none. */
  async function withdraw(
    person: Pick<Person, 'id' | 'email'>,
    existing: RuleGrantRow,
    role: AccountRole | null,
  ): Promise<void> {
    const { id } = person
    const { account_id: accountId } = existing
    const next = role ?? existing.before
    try {
      if (accountId === server) await people.setOperator(id, false)
      else if (next !== null) await memberships.changeRole(accountId, id, next)
      else await memberships.remove(accountId, id)
    } catch (thrown) {
      if (!(thrown instanceof AccountsRefusal)) throw thrown
      if (thrown.reason === 'last_operator' || thrown.reason === 'last_owner') {
        log('warn', 'role_kept', { person: id, role: existing.role, reason: thrown.reason })
        return
      }
      // `no_member`: an owner removed the person in the meantime.
    }
    const statement =
      role === null
        ? deleteRuleGrant(id, accountId)
        : putRuleGrant(id, { account_id: accountId, role, before: existing.before })
    await rows.write([statement])
    await record(person, accountId, { role: existing.role, granted: false })
  }

  return {
    async apply(person, claims, rules) {
      const wanted = applyRules(rules, claims)
      const roles = new Map<string, AccountRole>()
      for (const [account, role] of wanted.roles) {
        const id = await accountIdOf(account)
        if (id !== null && roles.get(id) !== 'owner') roles.set(id, role)
      }
      for (const existing of await rows.find(listRuleGrants(person.id))) {
        const { account_id: accountId, role } = existing
        if (accountId === server) {
          if (!wanted.isOperator) await withdraw(person, existing, null)
        } else if (role === 'owner' && roles.get(accountId) === 'member') {
          await withdraw(person, existing, 'member')
        } else if (!roles.has(accountId)) await withdraw(person, existing, null)
      }
      if (wanted.isOperator) await grant(person, server, 'operator')
      for (const [accountId, role] of roles) await grant(person, accountId, role)
    },
  }
}
