import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageRig } from '../../../test/fakes/people/usage-rig.ts'
import { createUsageRetention } from './usage-retention.ts'

const dayMs = 86_400_000
const now = Date.UTC(2026, 0, 31, 12, 30)

function rig() {
  const made = createUsageRig(now)
  const logged: string[] = []
  const retention = createUsageRetention({
    ...made,
    log: (_level, event) => logged.push(event),
    daysRetained: () => 100,
  })
  const add = (span: number, start: number, holder = 'k1') => {
    made.db.run(
      `INSERT INTO usage VALUES (?, ?, ?, 'rpc', 'dev', 'm', 'ok', '', 200, 1, 1, 0, 0)`,
      [holder, span, start],
    )
    made.db.run(
      `INSERT INTO latency VALUES (?, ?, ?, 'rpc', 'dev', 'm', 0, ${Array(16).fill(1).join(', ')})`,
      [holder, span, start],
    )
    made.db.run(`INSERT INTO verified VALUES (?, ?, ?, 'dev', 'proof', 1)`, [holder, span, start])
  }
  const left = (table: 'usage' | 'latency' | 'verified', holder = 'k1') =>
    made.db
      .all<{ span: number; start: number }>(
        `SELECT span, start FROM ${table} WHERE holder = ? ORDER BY span, start`,
        [holder],
      )
      .map(({ span, start }) => [span, (now - start) / dayMs])
  return { ...made, retention, add, left, logged }
}

test('minutes are deleted after a day, hours after five weeks, days after the configured time', async () => {
  const { retention, add, left } = rig()
  for (const holder of ['k1', '@a', '*']) {
    for (const span of [1, 60, 1440]) {
      for (const days of [0.5, 1, 1.5, 30, 34, 36, 99, 101]) add(span, now - days * dayMs, holder)
    }
  }
  for (let round = 0; round < 300; round++) await retention.sweep()
  const retained = [
    ...[1, 0.5].map((days) => [1, days]),
    ...[34, 30, 1.5, 1, 0.5].map((days) => [60, days]),
    ...[99, 36, 34, 30, 1.5, 1, 0.5].map((days) => [1440, days]),
  ]
  for (const holder of ['k1', '@a', '*']) {
    assert.deepEqual(left('usage', holder), retained)
    assert.deepEqual(left('latency', holder), retained)
    assert.deepEqual(left('verified', holder), retained)
  }
})

test('one round takes a bounded stretch, and the next goes on', async () => {
  const { retention, add, left } = rig()
  for (const minutes of [5000, 4500, 4300, 3000]) add(1, now - minutes * 60_000)
  await retention.sweep()
  assert.equal(left('usage').length, 2)
  await retention.sweep()
  await retention.sweep()
  assert.equal(left('usage').length, 0)
})

test('it sweeps each minute until it is stopped, and a write that fails is logged', async () => {
  const { retention, add, left, clock, db, logged } = rig()
  add(1, now - 2 * dayMs)
  db.exec(`CREATE TRIGGER refuse BEFORE DELETE ON usage BEGIN SELECT RAISE(ABORT, 'no'); END`)
  await retention.sweep()
  assert.deepEqual(logged, ['usage_not_let_go'])
  db.exec('DROP TRIGGER refuse')
  clock.advance(60_000)
  clock.advance(60_000)
  await retention.sweep()
  await retention.sweep()
  assert.equal(left('usage').length, 0)
  retention.stop()
})
