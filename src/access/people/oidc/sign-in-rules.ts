// The roles that the rules of the settings give a person, by groups and by domain of the verified email address. Pure.
// Tested by src/access/people/oidc/sign-in-rules.test.ts
import type { AccountRole } from '../person.ts'
import type { IdentityClaims } from './identity-claims.ts'

/** Applies to people in any of the groups and any of the domains; an empty list matches all. */
export type SignInRule = {
  readonly groups: readonly string[]
  readonly domains: readonly string[]
  readonly operator: boolean
  /** Name or ID; null: no account. */
  readonly account: string | null
  readonly role: AccountRole
}

type RuleResult = {
  /** True: at least one rule applies. */
  readonly applies: boolean
  readonly isOperator: boolean
  /** By account as named in the rules; the highest role of all matching rules. */
  readonly roles: ReadonlyMap<string, AccountRole>
}

export function applyRules(
  rules: readonly SignInRule[],
  person: Pick<IdentityClaims, 'email' | 'groups'>,
): RuleResult {
  const matching = rules.filter((rule) => isAbout(rule, person))
  const roles = new Map<string, AccountRole>()
  for (const { account, role } of matching) {
    if (account !== null && roles.get(account) !== 'owner') roles.set(account, role)
  }
  return {
    applies: matching.length > 0,
    isOperator: matching.some(({ operator }) => operator),
    roles,
  }
}

function isAbout(
  { groups, domains }: SignInRule,
  person: Pick<IdentityClaims, 'email' | 'groups'>,
): boolean {
  if (groups.length + domains.length === 0) return false
  const isOfGroup = groups.length === 0 || groups.some((group) => person.groups.includes(group))
  return isOfGroup && (domains.length === 0 || isOfDomain(person.email, domains))
}

/** Compares whole domains: `example.org` does not match `mail.example.org`. */
export function isOfDomain(email: string | null, domains: readonly string[]): boolean {
  const domain = email?.split('@').at(-1)
  return domain !== undefined && domains.includes(domain)
}
