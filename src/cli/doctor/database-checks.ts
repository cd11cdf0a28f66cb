// Checks the database of `database.url`: connection, permissions, and the rows of accounts and people.
// Tested by src/cli/doctor/database-checks.test.ts
import { createAccounts } from '../../access/accounts/accounts.ts'
import { systemClock } from '../../base/clock.ts'
import type { Config } from '../../config/settings.ts'
import type { Rows } from '../../db/rows.ts'
import {
  problem,
  warning,
  type CommandLine,
  type Problem,
} from '../../server/network-checks/problem.ts'
import { checkUnfoundPins } from './ipfs-network-checks.ts'
import { checkNodes } from './node-checks.ts'
import { checkKeys } from './key-checks.ts'
import type { Machine } from './machine.ts'
import { checkPeople } from './people-checks.ts'

type Parts = {
  readonly machine: Machine
  readonly config: Config
  /** As in the settings file, without saved networks. */
  readonly own: Config
  readonly command: CommandLine
  /** Does `identity.pem` exist? */
  readonly hasKeyPair: boolean
}

export async function* checkDatabase(parts: Parts): AsyncGenerator<Problem> {
  const { url, mayLoseCommits } = parts.config.database
  if (url === null) return
  const { inspectPostgres } = await import('../../db/postgres/inspect.ts')
  let inspected: Awaited<ReturnType<typeof inspectPostgres>>
  try {
    inspected = await inspectPostgres({ url, mayLoseCommits, clock: systemClock })
  } catch (error) {
    const why = error instanceof Error && error.message !== '' ? error.message : 'no answer'
    yield problem(
      'database_away',
      `the database of database.url cannot be used: ${why}`,
      `start it, or correct the setting: database: {url: "\${env:DATABASE_URL}"}`,
    )
    return
  }
  try {
    for (const { code, text, fix, isFinal } of inspected.problems) {
      yield isFinal ? problem(code, text, fix) : warning(code, text, fix)
    }
    if (inspected.rows === null) return
    yield* checkNodes(inspected.rows, parts.own, parts.hasKeyPair)
    yield* checkSharedRows(inspected.rows, parts)
  } finally {
    await inspected.close()
  }
}

/** Checks the rows of accounts and people, wherever they are stored. */
export async function* checkSharedRows(
  reads: Pick<Rows, 'find' | 'first' | 'snapshot'>,
  { machine, config, command, hasKeyPair }: Omit<Parts, 'own'>,
): AsyncGenerator<Problem> {
  const clock = {
    ...machine.clock,
    monotonic: () => 0,
    after: () => () => {},
    every: () => () => {},
  }
  const rows: Rows = {
    ...reads,
    write: () => Promise.reject(new Error('a check changes nothing')),
  }
  const now = machine.clock.now()
  const accounts = createAccounts({ rows, clock })
  yield* checkKeys({ data: { accounts, rows }, config, now, command })
  yield* checkPeople(rows, config, { now, command, hasKeyPair })
  yield* checkUnfoundPins(rows, config)
}
