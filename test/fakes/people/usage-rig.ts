// Usage counting over a database in memory, with accounts `a` (keys `k1` and `k2`) and `b` (`k3`).
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import type { Rows } from '../../../src/db/rows.ts'
import { createSqliteRows } from '../../../src/db/sqlite-rows.ts'
import { type Database, openDatabase } from '../../../src/db/sqlite.ts'
import type { Writer } from '../../../src/db/writer.ts'
import type { UsedCall } from '../../../src/access/usage/usage-row.ts'
import { type Usage, createUsage } from '../../../src/access/usage/usage.ts'
import { createManualClock, type ManualClock } from '../manual-clock.ts'

export type UsageRig = {
  readonly db: Database
  readonly writer: Writer
  readonly rows: Rows
  readonly clock: ManualClock
  readonly usage: Usage
  /** Counts one successful call of `k1`, with the given members replaced. */
  count(call?: Partial<UsedCall>): void
}

const accountOf = { k1: 'a', k2: 'a', k3: 'b' } as const

export function createUsageRig(startMs = Date.UTC(2026, 0, 31, 12, 30)): UsageRig {
  const db = openDatabase(':memory:')
  migrate(db)
  for (const id of ['a', 'b']) {
    db.run('INSERT INTO account (id, name, created) VALUES (?1, ?1, 0)', [id])
  }
  for (const [id, account] of Object.entries(accountOf)) {
    db.run(
      `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
        VALUES (?1, ?2, 'key ' || ?1, '', ?3, x'00', 0)`,
      [id, account, Buffer.from(id)],
    )
  }
  const writer = createInlineWriter(db)
  const clock = createManualClock(startMs)
  const rows = createSqliteRows(db, writer)
  const usage = createUsage({ db, rows, clock, log: () => {} })
  return {
    db,
    writer,
    rows,
    clock,
    usage,
    count(call = {}) {
      const keyId = (call.keyId ?? 'k1') as keyof typeof accountOf
      usage.count({
        keyId,
        accountId: accountOf[keyId],
        face: 'rpc',
        network: 'dev',
        method: 'eth_call',
        verified: 'proof',
        outcome: 'ok',
        reason: '',
        status: 200,
        units: 80,
        bytesIn: 1,
        bytesOut: 2,
        ms: 1,
        ...call,
      })
    },
  }
}
