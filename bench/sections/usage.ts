// Cost of usage reports over a month and a week, for 50 keys that call 12 methods; half of the calls are refused for two reasons.
// The request thread computes the reports.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import type { UsageScope } from '../../src/access/usage/usage-collecting.ts'
import { createUsageReports } from '../../src/access/usage/usage-report.ts'
import type { Bench } from '../bench.ts'
import { fillUsage } from '../data/usage-rows.ts'
import { median } from '../measure.ts'

const keys = 50
const times = 9

export async function runUsage(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Usage reports')
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-usage-'))
  const db = openDatabase(join(folder, 'cairn.db'))
  try {
    migrate(db)
    const { rows, account } = fillUsage(db, keys, Date.now())
    report.figure(`rows of usage, ${keys} keys`, rows, '')
    const rowsOf = createSqliteRows(db, createInlineWriter(db))
    const reports = createUsageReports({
      clock: systemClock,
      read: async (queries) => ({ rows: await rowsOf.snapshot(queries), unwritten: [] }),
    })
    for (const [whose, scope] of [
      [`an account of ${keys} keys`, { accountId: account }],
      ['one key', { keyId: 'key-001' }],
      ['all accounts', { all: true }],
    ] as readonly (readonly [string, UsageScope])[]) {
      for (const window of ['30d', '7d'] as const) {
        const durations: number[] = []
        for (let time = 0; time < times; time++) {
          const began = performance.now()
          await reports.report(scope, window)
          durations.push(performance.now() - began)
        }
        const goal = window === '30d' ? { atMost: 100 } : undefined
        report.figure(`${window} of ${whose}`, median(durations), ' ms', goal)
      }
    }
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
}
