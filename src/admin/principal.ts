// Who asks for an admin operation, and what each role may do. The one place where roles are judged.
// Tested by src/admin/run-admin.test.ts
import { Fault } from '../base/fault.ts'

/** Of one person in one account. */
export type MemberRole = 'owner' | 'member'

/**
 * `local`: whoever owns the data folder, at the command line; may do what an operator may. `person`: someone who signed
 * in, or a token of theirs.
 */
export type Principal =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'person'
      readonly personId: string
      readonly email: string
      readonly operator: boolean
      /** Account id -> role. */
      readonly roles: ReadonlyMap<string, MemberRole>
      /** Id of the session or the token it came with. */
      readonly via: { readonly kind: 'session' | 'token'; readonly id: string }
    }

/**
 * Least role an operation asks for. `member` and `owner` are of the account that its path names; an operator may do
 * what an owner may, in every account.
 */
export type AdminRole = 'anyone' | 'signed-in' | 'member' | 'owner' | 'operator'

/**
 * Throws `signed_out`; `not_allowed`; `absent` for an account that the actor does not belong to, as if there were none.
 * `accountId`: the one in the path; null when it names none.
 */
export function authorizeRole(
  role: AdminRole,
  accountId: string | null,
  actor: Principal | null,
): void {
  if (role === 'anyone') return
  if (actor === null) throw new Fault('signed_out')
  if (role === 'signed-in' || isOperator(actor)) return
  if (role === 'operator') throw notAllowed(role)
  const held = accountId === null ? undefined : roleIn(actor, accountId)
  if (held === undefined) throw new Fault('absent', { detail: 'there is no such account' })
  if (role === 'owner' && held !== 'owner') throw notAllowed(role)
}

export function isOperator(actor: Principal): boolean {
  return actor.kind === 'local' || actor.operator
}

/** May they see what belongs to this account? Null: what belongs to any. */
export function mayRead(actor: Principal | null, accountId: string | null): boolean {
  if (actor === null) return false
  return isOperator(actor) || (accountId !== null && roleIn(actor, accountId) !== undefined)
}

function roleIn(actor: Principal, accountId: string): MemberRole | undefined {
  return actor.kind === 'local' ? 'owner' : actor.roles.get(accountId)
}

function notAllowed(role: AdminRole): Fault {
  return new Fault('not_allowed', { detail: `requires the role ${role}`, data: { role } })
}
