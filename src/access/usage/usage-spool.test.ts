import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import type { Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import type { FlushedRow, UsedCall } from './usage-row.ts'
import { type NumberedFlush, openUsageSpool } from './usage-spool.ts'
import { createUsage } from './usage.ts'

const row: FlushedRow = {
  keyId: 'k',
  accountId: 'acc',
  minute: 60_000,
  face: 'rpc',
  network: 'dev',
  method: 'eth_call',
  verified: 'proof',
  outcome: 'ok',
  reason: '',
  status: 200,
  requests: 2,
  units: 160,
  bytesIn: 1,
  bytesOut: 2,
  latency: Uint32Array.from([0, 2]),
}

function pathOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-spool-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'usage.spool')
}

const flush = (seq: number): NumberedFlush => ({ writer: 'w', seq, rows: [row] })

test('flushes come back in their order, also in the next process', (t) => {
  const path = pathOf(t)
  const logged: string[] = []
  const first = openUsageSpool(path, (_level, event) => logged.push(event))
  for (const seq of [1, 2, 3]) assert.ok(first.append(flush(seq)))
  assert.deepEqual(first.first(), flush(1))
  first.drop()
  assert.deepEqual(first.first(), flush(2))
  first.close()
  // The dropped flush is sent again: the database knows its number.
  const second = openUsageSpool(path, (_level, event) => logged.push(event))
  for (const seq of [1, 2, 3]) {
    assert.deepEqual(second.first(), flush(seq))
    second.drop()
  }
  assert.equal(second.first(), null)
  assert.equal(statSync(path).size, 0)
  second.close()
  assert.deepEqual(logged, [])
})

test('a line that a kill cut off, or that is damaged, is left out', (t) => {
  const path = pathOf(t)
  const logged: string[] = []
  const one = openUsageSpool(path, () => {})
  one.append(flush(1))
  one.close()
  appendFileSync(path, 'no flush\n{"writer":"w","seq":2,"ro')
  const next = openUsageSpool(path, (_level, event) => logged.push(event))
  assert.deepEqual(next.first(), flush(1))
  next.drop()
  assert.equal(next.first(), null)
  assert.deepEqual(logged, ['usage_spool_damaged', 'usage_spool_damaged'])
  next.append(flush(3))
  assert.deepEqual(next.first(), flush(3))
  next.close()
})

test('a full spool takes nothing more', (t) => {
  const spool = openUsageSpool(pathOf(t), () => {}, { bytesMax: 100 })
  assert.ok(spool.append(flush(1)))
  assert.ok(spool.isFull)
  assert.equal(spool.append(flush(2)), false)
  spool.close()
})

const call: UsedCall = { ...row, units: 80, ms: null }

test('usage that is counted while the database is away is in the spool after a second, and counts once', async (t) => {
  const path = pathOf(t)
  const db = openDatabase(':memory:')
  migrate(db)
  const local = createSqliteRows(db, createInlineWriter(db))
  let isAway = true
  const rows: Rows = {
    ...local,
    async write(statements) {
      if (isAway) throw new Fault('overloaded')
      return await local.write(statements)
    },
  }
  const clock = createManualClock(Date.UTC(2026, 0, 31))
  const spool = openUsageSpool(path, () => {})
  const usage = createUsage({ db: null, rows, clock, log: () => {}, spool })
  for (let second = 0; second < 5; second += 1) {
    usage.count(call)
    await usage.flush()
  }
  // Simulates a kill: nothing more is written.
  usage.stop()
  spool.close()
  isAway = false
  const again = openUsageSpool(path, () => {})
  const next = createUsage({ db: null, rows, clock, log: () => {}, spool: again })
  next.count(call)
  assert.equal(await next.unitsToday('k'), 80)
  await next.flush()
  assert.equal(await next.unitsToday('k'), 480)
  await next.flush()
  next.stop()
  again.close()
  assert.equal(statSync(path).size, 0)
  const sum = `SELECT sum(requests) AS sum FROM usage WHERE holder = 'k' AND span = 1440`
  assert.deepEqual(db.get(sum), { sum: 6 })
  db.close()
})

test('a process sends its flushes to the one with the spool, and each counts once after lost replies', async (t) => {
  const db = openDatabase(':memory:')
  migrate(db)
  const local = createSqliteRows(db, createInlineWriter(db))
  let isAway = true
  const rows: Rows = {
    ...local,
    async write(statements) {
      if (isAway) throw new Fault('overloaded')
      return await local.write(statements)
    },
  }
  const clock = createManualClock(Date.UTC(2026, 0, 31))
  const spool = openUsageSpool(pathOf(t), () => {})
  const parts = { db: null, rows, clock, log: () => {} }
  const keeper = createUsage({ ...parts, spool })
  let sent = 0
  const worker = createUsage({
    ...parts,
    async send(flush) {
      sent += 1
      // The replies to both are lost: only one of the flushes arrived.
      if (sent === 1) throw new Fault('overloaded')
      assert.ok(keeper.accept(flush))
      if (sent === 2) throw new Fault('overloaded')
    },
  })
  for (let second = 0; second < 4; second += 1) {
    worker.count(call)
    keeper.count(call)
    await worker.flush()
    await keeper.flush()
  }
  worker.stop()
  isAway = false
  await keeper.flush()
  await keeper.flush()
  keeper.stop()
  spool.close()
  const sum = `SELECT sum(requests) AS sum FROM usage WHERE holder = 'k' AND span = 1440`
  assert.deepEqual(db.get(sum), { sum: 8 })
  db.close()
})
