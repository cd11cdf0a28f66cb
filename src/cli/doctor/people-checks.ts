// Checks of sign-in: an operator exists, operators have a second factor, accounts have owners.
// Tested by src/cli/doctor/doctor.test.ts
import { isLoopback } from '../../base/loopback.ts'
import type { Config } from '../../config/settings.ts'
import type { Database } from '../../db/sqlite.ts'
import { warning, type CommandLine, problem, type Problem } from './problem.ts'

/** Maximum number of warnings of one kind; the rest is only counted. */
const namedMax = 5

type Facts = {
  readonly now: number
  readonly command: CommandLine
  /** Is the server's key pair in the data folder? */
  readonly hasKeyPair: boolean
}

export function* checkPeople(
  db: Database,
  { admin, http }: Pick<Config, 'admin' | 'http'>,
  facts: Facts,
): Generator<Problem> {
  if (!admin.enabled) return
  const { command } = facts
  if (!facts.hasKeyPair) yield* sealedForNobody(db, command)
  const people = db.getValue<number>('SELECT count(*) FROM person') ?? 0
  const operators = db.all<{ email: string; has_totp: number }>(
    `SELECT email, totp IS NOT NULL AS has_totp FROM person
      WHERE operator = 1 AND disabled IS NULL ORDER BY email`,
  )
  if (operators.length === 0) {
    yield noOperator(db, people, facts)
    return
  }
  const weak = operators.filter(({ has_totp: hasTotp }) => hasTotp === 0)
  if (!isLoopback(admin.host ?? http.host) && weak.length > 0) {
    const said = `${names(weak)}: operator without a second factor on a public address`
    yield warning(
      'operator_without_totp',
      said,
      'set up an authenticator in the dashboard, under Security',
    )
  }
  const ownerless = db.all<{ name: string }>(
    `SELECT a.name FROM account a WHERE EXISTS (SELECT 1 FROM membership m WHERE m.account_id = a.id)
      AND NOT EXISTS (SELECT 1 FROM membership m JOIN person p ON p.id = m.person_id
        WHERE m.account_id = a.id AND m.role = 'owner' AND p.disabled IS NULL) ORDER BY a.name LIMIT ?`,
    [namedMax],
  )
  for (const { name } of ownerless) {
    const fix = command(`people invite --account ${name} --role owner`)
    yield warning('no_owner', `account ${name} has members, but no owner can sign in`, fix)
  }
}

/** What is sealed under a key pair that is gone stays closed. */
function* sealedForNobody(db: Database, command: CommandLine): Generator<Problem> {
  const sealed = db.all<{ email: string }>(
    'SELECT email FROM person WHERE totp IS NOT NULL ORDER BY email',
  )
  const [first] = sealed
  if (first === undefined) return
  const said = `identity.pem is missing from the data folder: Cairn cannot check the codes of ${names(sealed)}`
  const fix = `restore it from a backup; without one: ${command(`people reset-totp ${first.email}`)}`
  yield problem('seal_lost', said, fix)
}

function noOperator(db: Database, people: number, { now, command }: Facts): Problem {
  if (people > 0) {
    const fix = command('people invite --operator')
    return warning('no_operator', 'no person is an operator', fix)
  }
  const expires = db.getValue<number>(
    'SELECT max(expires) FROM invitation WHERE first = 1 AND used IS NULL',
  )
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
