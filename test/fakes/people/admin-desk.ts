// Runs admin operations on a data folder in memory as any person, like the dashboard and the command line.
import type { z } from 'zod'
import { type Accounts, createAccounts } from '../../../src/access/accounts/accounts.ts'
import { createCards } from '../../../src/access/cards/cards.ts'
import {
  type JwtPublicKeys,
  createJwtPublicKeys,
} from '../../../src/access/accounts/jwt-public-keys.ts'
import type { Identity } from '../../../src/access/people/identity.ts'
import { Fault } from '../../../src/base/fault.ts'
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { createSqliteRows } from '../../../src/db/sqlite-rows.ts'
import { type Database, openDatabase } from '../../../src/db/sqlite.ts'
import type { Principal, MemberRole } from '../../../src/admin/principal.ts'
import type { AdminContext, JsonOperation } from '../../../src/admin/admin-operation.ts'
import { auditedActions } from '../../../src/admin/index.ts'
import { runAdmin } from '../../../src/admin/run-admin.ts'
import { createTestIdentity } from './identity.ts'
import { createManualClock, type ManualClock } from '../manual-clock.ts'

/** Origin of the requests. */
export const deskPage = 'http://localhost:8545'

export type AdminDesk = {
  readonly accounts: Accounts
  readonly publicKeys: JwtPublicKeys
  readonly identity: Identity
  readonly clock: ManualClock
  /** Runs an operation. Throws as `runAdmin`. */
  run<Output extends z.ZodType>(
    operation: JsonOperation<z.ZodType, Output>,
    sent: Readonly<Record<string, unknown>>,
    actor?: Principal | null,
  ): Promise<z.output<Output>>
  /** Code and message of the Fault of a refused operation. */
  refusal<Output extends z.ZodType>(
    operation: JsonOperation<z.ZodType, Output>,
    sent: Readonly<Record<string, unknown>>,
    actor?: Principal | null,
  ): Promise<string>
}

/** A person with these roles, by account ID. */
export function person(roles: Readonly<Record<string, MemberRole>>, operator = false): Principal {
  return {
    kind: 'person',
    personId: 'p',
    email: 'someone@example.com',
    operator,
    roles: new Map(Object.entries(roles)),
    via: { kind: 'session', id: 's' },
  }
}

/**
 * `more`: further dependencies of operations. `db`: a migrated database; default: a new one. Without an actor, the owner of the
 * data folder acts.
 */
export function openDesk(
  more: Partial<AdminContext> = {},
  given: Database | null = null,
): AdminDesk {
  const db = given ?? openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock()
  const rows = createSqliteRows(db, createInlineWriter(db))
  const parts = { rows, clock }
  const accounts = createAccounts(parts)
  const publicKeys = createJwtPublicKeys(parts)
  const identity = createTestIdentity(parts)
  const cards = createCards({
    ...parts,
    adapter: () => 'manual',
    paymentProvider: () => Promise.reject(new Error('this server takes no cards')),
    formsPerDayMax: () => 1,
    admitAddress: () => {},
    admitRead: () => {},
  })
  const own = { accounts, cards, publicKeys, identity, auditedActions, clock }
  const touch = { ...own, ...more } as AdminContext

  async function run<Output extends z.ZodType>(
    operation: JsonOperation<z.ZodType, Output>,
    sent: Readonly<Record<string, unknown>>,
    actor: Principal | null = { kind: 'local' },
  ): Promise<z.output<Output>> {
    const reply = await runAdmin(operation, sent, {
      ...touch,
      actor,
      origin: { address: null, userAgent: null, device: null, page: deskPage },
      session: { begin: () => {}, end: () => {}, remember: () => {} },
      signal: new AbortController().signal,
    })
    return (reply as { value: unknown }).value as z.output<Output>
  }

  return {
    accounts,
    publicKeys,
    identity,
    clock,
    run,
    async refusal(operation, sent, actor) {
      try {
        await run(operation, sent, actor)
        return 'done'
      } catch (thrown) {
        const { code, message } = Fault.from(thrown)
        return `${code}: ${message}`
      }
    },
  }
}
