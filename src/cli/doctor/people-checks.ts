// Checks of sign-in: an operator exists, operators have a second factor, accounts have owners.
// Tested by src/cli/doctor/doctor.test.ts
import { isLoopback } from '../../base/addresses.ts'
import type { Config } from '../../config/settings.ts'
import type { Rows } from '../../db/rows.ts'
import { findFirstInvitationExpiry } from '../../tables/invitations.ts'
import { listOwnerlessAccounts } from '../../tables/memberships.ts'
import {
  countPeople,
  listAuthenticatorEmails,
  listOperators,
  type PersonRow,
} from '../../tables/people.ts'
import {
  warning,
  type CommandLine,
  problem,
  type Problem,
} from '../../server/network-checks/problem.ts'

/** Maximum number of warnings of one kind; the rest is only counted. */
const namedMax = 5

type Facts = {
  readonly now: number
  readonly command: CommandLine
  /** Does the server's key pair exist in the data folder? */
  readonly hasKeyPair: boolean
}

export async function* checkPeople(
  rows: Rows,
  { admin, http, signIn }: Pick<Config, 'admin' | 'http' | 'signIn'>,
  facts: Facts,
): AsyncGenerator<Problem> {
  if (!admin.enabled) return
  const { command } = facts
  if (!facts.hasKeyPair) yield* checkSeal(rows, command)
  const operators = await rows.find(listOperators())
  if (operators.length === 0) {
    yield await noOperator(rows, facts)
    return
  }
  yield* checkClosedPasswords(operators, signIn, command)
  const weak = operators.filter(({ has_totp: hasTotp }) => hasTotp === 0)
  if (!isLoopback(admin.host ?? http.host) && weak.length > 0) {
    const message = `${names(weak)}: operator without a second factor on a public address`
    yield warning(
      'operator_without_totp',
      message,
      'set up an authenticator in the dashboard, under Security',
    )
  }
  const ownerless = await rows.find(listOwnerlessAccounts(namedMax))
  for (const { name } of ownerless) {
    const fix = command(`people invite --account ${name} --role owner`)
    yield warning('no_owner', `account ${name} has members, but no owner can sign in`, fix)
  }
}

/** With password sign-in off, at least one operator needs a passkey or an identity at the configured provider. */
function* checkClosedPasswords(
  operators: readonly PersonRow[],
  { password, oidc }: Config['signIn'],
  command: CommandLine,
): Generator<Problem> {
  const [first] = operators
  if (password || first === undefined) return
  const issuer = withoutSlash(oidc.issuer)
  const canSignIn = (person: PersonRow): boolean =>
    person.passkeys > 0 || (issuer !== null && withoutSlash(person.issuer) === issuer)
  if (operators.some(canSignIn)) return
  const message = `signIn.password is false, and no operator has a passkey or an identity of ${oidc.issuer}`
  yield problem(
    'operators_locked_out',
    message,
    command(`people invite --operator --email ${first.email}`),
  )
}

function withoutSlash(issuer: string | null): string | null {
  return issuer?.replace(/\/$/, '') ?? null
}

/** Without the key pair, the secrets of authenticators cannot be decrypted. */
async function* checkSeal(rows: Rows, command: CommandLine): AsyncGenerator<Problem> {
  const sealed = await rows.find(listAuthenticatorEmails())
  const [first] = sealed
  if (first === undefined) return
  const message = `identity.pem is missing from the data folder: Cairn cannot check the codes of ${names(sealed)}`
  const fix = `restore it from a backup; without one: ${command(`people reset-totp ${first.email}`)}`
  yield problem('seal_lost', message, fix)
}

async function noOperator(rows: Rows, { now, command }: Facts): Promise<Problem> {
  const [[people], [link]] = await rows.snapshot([countPeople(), findFirstInvitationExpiry()])
  if ((people?.count ?? 0) > 0) {
    const fix = command('people invite --operator')
    return warning('no_operator', 'no person is an operator', fix)
  }
  const expires = link?.expires ?? null
  const fix = command('init --link')
  if (expires === null) {
    return warning('no_operator', 'no person can sign in to the dashboard', fix)
  }
  return expires <= now
    ? warning('link_over', 'the link for the first operator has expired', fix)
    : warning('no_operator', 'the link for the first operator is unused', fix)
}

function names(people: readonly { readonly email: string }[]): string {
  const named = people.slice(0, namedMax).map(({ email }) => email)
  const more = people.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
