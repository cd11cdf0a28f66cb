// Commits per second through `Rows`, compared with pgbench that writes the same rows on the same PostgreSQL, with a sync per
// commit.
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '../../src/base/clock.ts'
import { createConnections } from '../../src/db/postgres/connections.ts'
import { migratePostgres } from '../../src/db/postgres/migrate.ts'
import { advisoryLocks, createPostgresRows } from '../../src/db/postgres/postgres-rows.ts'
import type { Rows, WriteLock } from '../../src/db/rows.ts'
import { insertObjectBlocks } from '../../src/tables/objects/object-blocks.ts'
import { findProgram, needs } from '../../test/deploy/programs.ts'
import type { Bench } from '../bench.ts'
import { median, rounds } from '../measure.ts'
import { startBenchPostgres } from '../servers/shared.ts'

/** Connections of both, and concurrent writes. */
const connectionsMax = 16
const fullSeconds = 15
const quickSeconds = 3

type Round = { readonly rows: number; readonly pgbench: number; readonly clientCpuUs: number }

export async function runPostgres({ report, options }: Bench): Promise<void> {
  report.section('PostgreSQL: commits of one block')
  const { skip } = needs('postgres', 'pgbench')
  if (skip !== undefined) return report.note(`this section is left out: ${skip}`)
  await using stack = new AsyncDisposableStack()
  const postgres = await startBenchPostgres(stack)
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-postgres-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const database = await postgres.createDatabase()
  const url = postgres.urlOf(database)
  const connections = createConnections({ url, size: connectionsMax, clock: systemClock })
  stack.defer(() => connections.close())
  await migratePostgres(connections)
  const rows = createPostgresRows(connections, systemClock)
  const seconds = options.quick ? quickSeconds : fullSeconds
  for (const lock of ['none', 'rows'] as const) {
    const script = join(folder, `${lock}.sql`)
    await writeFile(script, scriptOf(lock))
    // The first commits of each connection prepare the statements.
    await commitFor(rows, lock, 1)
    const all: Round[] = []
    for (let round = 0; round < rounds; round += 1) {
      const pgbench = await runPgbench({ port: postgres.port, database, script, seconds })
      const cpu = process.cpuUsage()
      const commits = await commitFor(rows, lock, seconds)
      const { user, system } = process.cpuUsage(cpu)
      all.push({ rows: commits / seconds, pgbench, clientCpuUs: (user + system) / commits })
    }
    const of = (figure: (round: Round) => number) => median(all.map(figure))
    const name = lock === 'none' ? 'commits' : 'commits under the lock of accounts'
    report.figure(
      `${name}, pgbench`,
      of((one) => one.pgbench),
      '/s',
    )
    report.figure(
      `${name}, Rows`,
      of((one) => one.rows),
      '/s',
    )
    report.figure(
      `${name}, Rows: client CPU`,
      of((one) => one.clientCpuUs),
      ' us',
    )
    report.figure(
      `${name}, Rows / pgbench`,
      of((one) => one.rows / one.pgbench),
      '',
      { atLeast: 0.6 },
    )
  }
}

/** Number of commits in `seconds`. */
async function commitFor(rows: Rows, lock: WriteLock, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000
  let commits = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      const hash = createHash('sha256').update(randomUUID()).digest()
      const row = { hash, file: 1, at: commits, bytes: 4096, form: 0, size: 4096 } as const
      const [changed] = await rows.write([insertObjectBlocks([row], 1)], { lock })
      if (changed !== 1) throw new Error(`a commit changed ${changed} rows`)
      commits += 1
    }
  }
  await Promise.all(Array.from({ length: connectionsMax }, lane))
  return commits
}

/** The rows of one write: a block, and the ID that detects a lost commit. */
function scriptOf(lock: 'none' | 'rows'): string {
  const locking = lock === 'none' ? [] : [`SELECT pg_advisory_xact_lock(${advisoryLocks.rows});`]
  return [
    'BEGIN;',
    ...locking,
    `INSERT INTO block (created, hash, file, at, bytes, form, size)
      VALUES (1, sha256(gen_random_uuid()::text::bytea), 1, 0, 4096, 0, 4096) ON CONFLICT DO NOTHING;`,
    `INSERT INTO done (id, changes, until) VALUES (gen_random_uuid(), '{1}', now() + interval '10 minutes');`,
    'COMMIT;',
    '',
  ].join('\n')
}

/** Commits per second. */
async function runPgbench(run: {
  readonly port: number
  readonly database: string
  readonly script: string
  readonly seconds: number
}): Promise<number> {
  const server = ['-h', '127.0.0.1', '-p', String(run.port), '-U', 'postgres']
  const load = ['-n', '-M', 'prepared', '-c', String(connectionsMax), '-T', String(run.seconds)]
  const { stdout } = await promisify(execFile)(findProgram('pgbench') ?? 'pgbench', [
    ...server,
    ...load,
    '-f',
    run.script,
    run.database,
  ])
  const [, rate] = /^tps = ([\d.]+)/m.exec(stdout) ?? []
  if (rate === undefined) throw new Error(`pgbench reports no rate: ${stdout}`)
  return Number(rate)
}
