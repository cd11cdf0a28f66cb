// Opens the rows of a PostgreSQL database: connections, checks, schema, notifications. Other code imports only this module, and
// only if a setting configures a database.
// Tested by test/server/postgres-started.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Leases } from '../../base/leases.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../rows.ts'
import { checkServer } from './check-server.ts'
import { type Connections, createConnections } from './connections.ts'
import { toFault } from './faults.ts'
import { migratePostgres } from './migrate.ts'
import { createPostgresLeases } from './postgres-leases.ts'
import { createPostgresRows } from './postgres-rows.ts'
import { sweepDoneAlways } from './sweep-done.ts'
import { followRevisions, type RevisionFeed } from './revision-feed.ts'

export type OpenPostgres = {
  readonly rows: Rows
  readonly revisions: RevisionFeed
  readonly connections: Connections
  readonly leases: Leases
  /** Deletes records that no repeated write can need, each minute, on one machine. Returns a function that stops it. */
  sweep(): () => void
  close(): Promise<void>
}

type Parts = {
  readonly url: string
  /** Maximum number of connections. */
  readonly size: number
  readonly mayLoseCommits: boolean
  /** Hash, in hex, of the secret that encrypts stored secrets; all machines must use the same one. Null: not compared. */
  readonly secretHash: string | null
  readonly clock: Clock
  readonly log: Log
}

/**
 * Migrates the schema. Rejects with a sentence for the operator if the database cannot be reached or used, or its secrets are
 * encrypted with another secret.
 */
export async function openPostgres(parts: Parts): Promise<OpenPostgres> {
  const { clock, log } = parts
  const connections = createConnections(parts)
  try {
    await refuseProblems(connections, parts)
    await migratePostgres(connections)
    if (parts.secretHash !== null) await compareSecret(connections, parts.secretHash)
  } catch (error) {
    await connections.close()
    throw explained(error)
  }
  const revisions = followRevisions({ connections, clock })
  const leases = createPostgresLeases({
    connections,
    clock,
    onError: (lease, error) => log('warn', 'lease_failed', { lease, error }),
  })
  return {
    rows: createPostgresRows(connections, clock),
    revisions,
    connections,
    leases,
    sweep: () =>
      sweepDoneAlways({
        connections,
        clock,
        onError: (error) => log('warn', 'done_not_swept', { error }),
      }),
    async close() {
      await revisions.stop()
      await connections.close()
    },
  }
}

async function refuseProblems(connections: Connections, parts: Parts): Promise<void> {
  const problems = await connections.lend((one) => checkServer(one, parts))
  const final = problems.find(({ isFinal }) => isFinal)
  if (final !== undefined) throw new Error(`${final.text}: ${final.fix}`)
}

/** The first machine stores its hash; others compare theirs. */
async function compareSecret(connections: Connections, hash: string): Promise<void> {
  const { rows } = await connections.lend(async ({ run }) => {
    await run(
      'INSERT INTO shared_secret (one, hash) VALUES (true, $1) ON CONFLICT (one) DO NOTHING',
      [hash],
    )
    return await run('SELECT hash FROM shared_secret', [])
  })
  if (rows[0]?.['hash'] === hash) return
  throw new Error(
    'the secrets in the database are encrypted with another identity.pem: copy that file from the data folder of a machine that uses this database',
  )
}

/** The URL contains a password: shows the message of `pg`, never the URL. */
function explained(error: unknown): unknown {
  const fault = toFault(error)
  if (!(fault instanceof Fault)) {
    // An error of the server, such as a database or a role that does not exist.
    const { severity, message } = error as { readonly severity?: string; readonly message: string }
    if (severity === undefined) return error
    return new Error(`cannot use the database of database.url: ${message}`, { cause: error })
  }
  const cause = fault.cause instanceof Error ? fault.cause.message : fault.message
  return new Error(`cannot use the database of database.url: ${cause || 'it does not answer'}`, {
    cause: error,
  })
}
