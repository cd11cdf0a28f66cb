// People, sessions, invitations and tokens on a separate database, with cheap password hashes and a manual clock. Links and tokens
// are real.
import { createAccounts, type Accounts } from '../../../src/access/accounts/accounts.ts'
import {
  createIdentity,
  type Identity,
  type IdentitySettings,
} from '../../../src/access/people/identity.ts'
import { createPasswords, type Passwords } from '../../../src/access/people/passwords.ts'
import { type Log, silentLog } from '../../../src/base/log.ts'
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import type { Rows } from '../../../src/db/rows.ts'
import { createSqliteRows } from '../../../src/db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../../src/db/sqlite.ts'
import { createFailedSignIns } from '../../../src/access/limits/failed-attempts.ts'
import { mirrored } from '../mirrored-rows.ts'
import { createManualClock, type ManualClock } from '../manual-clock.ts'

export type IdentityRig = Identity & {
  readonly db: Database
  readonly accounts: Accounts
  readonly clock: ManualClock
  /** Read at each use. */
  readonly settings: { -readonly [Name in keyof IdentitySettings]: IdentitySettings[Name] }
  /** Adds a person by an invitation of the data folder's owner; `account`: ID, created if absent. */
  addPerson(email: string, options?: Partial<AddPerson>): Promise<{ id: string; account: string }>
}

type AddPerson = {
  readonly role: 'operator' | 'owner' | 'member'
  readonly account: string
  readonly password: string
}

export const dayMs = 86_400_000
export const goodPassword = 'a stone on a stone'
export const testClient = { address: '192.0.2.1', agent: 'test browser' }

/** The server's default settings. */
function usualSettings(): IdentityRig['settings'] {
  return {
    idleMs: dayMs / 2,
    longestMs: 30 * dayMs,
    ownersInvite: false,
    auditKeepMs: 400 * dayMs,
    keepAddresses: true,
    passwordsAccepted: true,
    secondFactor: 'optional',
    openId: null,
    token: { ms: 90 * dayMs, msMax: null },
  }
}

/** Uses an existing database. */
export function createTestIdentity(parts: {
  readonly rows: Rows
  readonly clock: ManualClock
  readonly settings?: IdentitySettings
  readonly passwords?: Passwords
  readonly log?: Log
}): Identity {
  const { clock, settings = usualSettings() } = parts
  const argon2Cost = { memory: 64, passes: 1, parallelism: 1 }
  return createIdentity({
    ...parts,
    log: parts.log ?? silentLog,
    settings: () => settings,
    sealSecret: () => new Uint8Array(32).fill(7),
    beginTry: createFailedSignIns({ clock, perHour: () => 60 }).begin,
    mailInvitation: async () => false,
    linkOf: (token) => token,
    passwords: parts.passwords ?? createPasswords({ argon2Cost }),
  })
}

/** `path`: of the database file; in memory if absent. */
export function createIdentityRig(
  path = ':memory:',
  clock: ManualClock = createManualClock(),
  more: {
    readonly passwords?: Passwords
    readonly log?: Log
    /** Wraps the rows that the parts read. */
    readonly wrapRows?: (rows: Rows) => Rows
  } = {},
): IdentityRig {
  const db = openDatabase(path)
  migrate(db)
  const writer = createInlineWriter(db)
  const settings = usualSettings()
  const { wrapRows = (rows: Rows) => rows, ...others } = more
  const rows = wrapRows(mirrored(createSqliteRows(db, writer)))
  const accounts = createAccounts({ rows, clock })
  const identity = createTestIdentity({ rows, clock, settings, ...others })
  return {
    ...identity,
    db,
    accounts,
    clock,
    settings,
    async addPerson(email, options = {}) {
      const { role = 'member', password = goodPassword } = options
      const account =
        options.account ?? (await accounts.createAccount(`of-${email.split('@')[0]}`)).id
      const { token } = await identity.invitations.create({
        role,
        accountId: account,
        invitedBy: null,
      })
      const id = await identity.invitations.acceptAsNew(token, { email, name: email, password })
      return { id, account }
    },
  }
}
