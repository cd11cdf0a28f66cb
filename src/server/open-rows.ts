// Opens the rows of accounts, keys, people, usage and settings: in `cairn.db`, or in a PostgreSQL database that several machines
// share, with its background tasks. PostgreSQL is loaded only if configured.
// Tested by test/server/postgres-started.test.ts, src/server/open-rows.test.ts
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  type AccountSource,
  createLocalAccounts,
  createRemoteAccounts,
} from '../access/accounts/account-source.ts'
import { openUsageSpool, type UsageSpool } from '../access/usage/usage-spool.ts'
import type { Clock } from '../base/clock.ts'
import { createLocalLeases, type Leases } from '../base/leases.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { createFencedRows } from '../db/fenced-rows.ts'
import type { Rows } from '../db/rows.ts'
import { createSqliteRows } from '../db/sqlite-rows.ts'
import type { Database } from '../db/sqlite.ts'
import type { Writer } from '../db/writer.ts'
import {
  createOwnDenyList,
  createRemoteDenyList,
  type OwnDenyList,
} from '../ipfs-gateway/own-denials.ts'
import { refuseMovedAway } from './move-mark.ts'

export type OpenRows = {
  readonly rows: Rows
  /** Rows of this machine alone: chain content, invalid replies, checks of `cairn.db`. */
  readonly localRows: Rows
  /** The database of `rows`, for synchronous reads; null: it is remote. */
  readonly db: Database | null
  readonly accounts: AccountSource
  readonly denials: OwnDenyList
  /** Leases for work that one machine does for all. */
  readonly leases: Leases
  /** `rows` that only the holder of the lease can write. */
  fenced(lease: string, token: bigint): Rows
  /** Starts to delete old rows of the database; only for the holder of a lease. Null: there are none. */
  readonly sweep: (() => () => void) | null
  /** Null: usage is written directly to this machine's disk. */
  readonly spool: UsageSpool | null
  /** From now on, all reads and writes together wait at most `ms` for a remote database that cannot be reached. */
  limitWaits(ms: number): void
  close(): Promise<void>
}

/** Waits of a stop for a remote database: Kubernetes grants a stop 30 s. */
export const stopWaitMs = 5000

type Parts = {
  readonly config: Pick<Config, 'dataDir' | 'database'>
  /** Current settings. */
  readonly settings: { readonly now: Pick<Config, 'accounts'> }
  /** `cairn.db` and its writer. */
  readonly database: Database
  readonly writer: Pick<Writer, 'write'>
  /** Bytes from which keys for stored secrets are derived. */
  readonly sealSecret: () => Uint8Array
  /** Opens the spool for usage while a remote database is unavailable: only in the process that writes the usage of this folder. */
  readonly isSpooled: boolean
  readonly clock: Clock
  readonly log: Log
}

/** Rejects with a sentence for the operator if the configured database cannot be used. */
export async function openRows(parts: Parts): Promise<OpenRows> {
  const { config, database: db, writer, log } = parts
  const localRows = createSqliteRows(db, writer)
  const { url } = config.database
  if (url !== null) return await openRemote(parts, url, localRows)
  return {
    rows: localRows,
    localRows,
    db,
    accounts: createLocalAccounts(db),
    denials: createOwnDenyList(db),
    fenced: () => localRows,
    leases: createLocalLeases((lease, error) => log('error', 'lease_failed', { lease, error })),
    sweep: null,
    spool: null,
    limitWaits: () => {},
    close: async () => {},
  }
}

async function openRemote(parts: Parts, url: string, localRows: Rows): Promise<OpenRows> {
  const { config, settings, clock, log } = parts
  const { connectionsMax: size, mayLoseCommits } = config.database
  const [{ openPostgres }, { fence }] = await Promise.all([
    import('../db/postgres/open-postgres.ts'),
    import('../db/postgres/postgres-leases.ts'),
  ])
  const opened = await openPostgres({
    url,
    size,
    mayLoseCommits,
    secretHash: createHash('sha256').update(parts.sealSecret()).digest('hex'),
    clock,
    log,
  })
  const { rows, revisions, leases } = opened
  try {
    await refuseMovedAway(rows)
  } catch (error) {
    await opened.close()
    throw error
  }
  const spool = parts.isSpooled ? openUsageSpool(join(config.dataDir, 'usage.spool'), log) : null
  return {
    rows,
    localRows,
    db: null,
    accounts: createRemoteAccounts({
      rows,
      onChange: (changed) => revisions.onRevision('accounts', changed),
      clock,
      staleMs: () => settings.now.accounts.staleMs,
    }),
    denials: createRemoteDenyList({
      rows,
      onChange: (changed) => revisions.onRevision('denials', changed),
      clock,
      log,
    }),
    fenced: (lease, token) => createFencedRows(rows, fence(lease, token)),
    leases,
    sweep: opened.sweep,
    spool,
    limitWaits: (ms) => opened.connections.limitWaits(ms),
    async close() {
      spool?.close()
      await opened.close()
    },
  }
}
