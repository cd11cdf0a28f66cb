// The author of an admin request, and the rights of each role. Roles are checked only here.
// Tested by src/admin/run-admin.test.ts
import { Fault } from '../base/fault.ts'

/** Role of one person in one account. */
export type MemberRole = 'owner' | 'member'

/**
 * `local`: the owner of the data folder, at the command line, with the rights of an operator. `person`: a signed-in person, or one
 * of their tokens.
 */
export type Principal =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'person'
      readonly personId: string
      readonly email: string
      readonly operator: boolean
      /** Account ID -> role. */
      readonly roles: ReadonlyMap<string, MemberRole>
      /** ID of the session or token that authenticated the request. */
      readonly via: { readonly kind: 'session' | 'token'; readonly id: string }
      /** True: a second factor is required but was not shown, so the session can only set one up. */
      readonly mustEnrol?: boolean
    }

/**
 * Minimum role for an operation. `member` and `owner` refer to the account in the path; an operator has the rights of an owner in
 * every account.
 */
export type AdminRole = 'anyone' | 'signed-in' | 'member' | 'owner' | 'operator'

/**
 * Throws `signed_out`; `needs_second_factor`; `not_allowed`; `absent` for an account that the actor does not belong to, as if it
 * did not exist. `accountId`: from the path; null if the path names none. `whileEnrolling`: permitted before a second factor was
 * shown.
 */
export function authorizeRole(
  role: AdminRole,
  accountId: string | null,
  actor: Principal | null,
  { whileEnrolling = false }: { readonly whileEnrolling?: boolean | undefined } = {},
): void {
  if (role === 'anyone') return
  if (actor === null) throw new Fault('signed_out')
  if (actor.kind === 'person' && actor.mustEnrol === true && !whileEnrolling) {
    throw new Fault('needs_second_factor')
  }
  if (role === 'signed-in' || isOperator(actor)) return
  if (role === 'operator') throw notAllowed(role)
  const actual = accountId === null ? undefined : roleIn(actor, accountId)
  if (actual === undefined) throw new Fault('absent', { detail: 'there is no such account' })
  if (role === 'owner' && actual !== 'owner') throw notAllowed(role)
}

export function isOperator(actor: Principal): boolean {
  return actor.kind === 'local' || actor.operator
}

/** Returns true if the actor may see data of this account. Null: data of any account. */
export function mayRead(actor: Principal | null, accountId: string | null): boolean {
  if (actor === null) return false
  return isOperator(actor) || (accountId !== null && roleIn(actor, accountId) !== undefined)
}

/** IDs of the accounts whose data the actor may see; null: all accounts. */
export function readableAccounts(actor: Principal | null): readonly string[] | null {
  if (actor === null) return []
  return actor.kind === 'local' || actor.operator ? null : [...actor.roles.keys()]
}

function roleIn(actor: Principal, accountId: string): MemberRole | undefined {
  return actor.kind === 'local' ? 'owner' : actor.roles.get(accountId)
}

function notAllowed(role: AdminRole): Fault {
  return new Fault('not_allowed', { detail: `requires the role ${role}`, data: { role } })
}
