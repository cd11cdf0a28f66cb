// A month of usage of a busy server: every key calls every method every day, and some calls fail.
import { latencyColumns } from '../../src/db/migrations.ts'
import type { Database } from '../../src/db/sqlite.ts'
import { dayMs, hourMs } from '../../src/access/usage/usage-row.ts'
import { startOf } from '../../src/access/usage/usage-window.ts'
import { holders, spans } from '../../src/tables/usage.ts'

const methods = [
  'eth_getStorageAt',
  'eth_call',
  'eth_getBalance',
  'eth_blockNumber',
  'eth_getLogs',
  'eth_getTransactionReceipt',
]
const usageSql = `INSERT INTO usage VALUES (?, ?, ?, 'rpc', ?, ?, ?, ?, ?, 1000, 80000, 100, 200)`
const outcomes = [
  ['ok', '', 200],
  ['over_rate', '', 429],
  ['refused_by_setting', 'origin', 403],
] as const

/** `account`: account ID. */
export type FilledUsage = { readonly rows: number; readonly account: string }

/** Fills `usage` and `latency` of a migrated database with a month of days before `now`, and a week of hours. */
export function fillUsage(db: Database, keys: number, now: number): FilledUsage {
  let rows = 0
  db.exec(`BEGIN; INSERT INTO account (id, name, created) VALUES ('acc', 'acme', 0)`)
  for (let key = 0; key < keys; key++) {
    const id = `key-${String(key).padStart(3, '0')}`
    db.run(
      `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
        VALUES (?, 'acc', '', '', ?, x'00', 0)`,
      [id, Buffer.from(id)],
    )
    rows += fillHolder(db, id, now)
  }
  for (const holder of [holders.account('acc'), holders.all]) rows += fillHolder(db, holder, now)
  db.exec('COMMIT')
  return { rows, account: 'acc' }
}

function fillHolder(db: Database, holder: string, now: number): number {
  let rows = 0
  for (let day = 0; day <= 30; day++) {
    rows += fillSpan(db, holder, spans.day, startOf(spans.day, now) - day * dayMs)
  }
  for (let hour = 0; hour <= 168; hour++) {
    rows += fillSpan(db, holder, spans.hour, startOf(spans.hour, now) - hour * hourMs)
  }
  return rows
}

function fillSpan(db: Database, holder: string, span: number, start: number): number {
  const columns = latencyColumns.map((_, at) => (at % 3 === 0 ? 0 : at * 7))
  let rows = 0
  for (const network of ['mainnet', 'sepolia']) {
    for (const method of methods) {
      for (const [outcome, reason, status] of outcomes) {
        const named = [holder, span, start, network, method, outcome, reason, status]
        db.run(usageSql, named)
      }
      for (const part of [0, 1]) {
        const values = [holder, span, start, 'rpc', network, method, part, ...columns]
        db.run(`INSERT INTO latency VALUES (${values.map(() => '?').join(', ')})`, values)
      }
      rows += outcomes.length + 2
    }
  }
  return rows
}
