import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock, type TurnedClock } from '../../test/fakes/turned-clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/sqlite.ts'
import type { Statement, Writer } from '../db/writer.ts'
import { createUsage, type Usage, type UsedCall } from './usage.ts'

type Rig = {
  readonly usage: Usage
  readonly db: Database
  readonly clock: TurnedClock
  readonly logged: string[]
  readonly writes: (readonly Statement[])[]
  failing: boolean
}

function rig(options: { readonly rowsMax?: number } = {}): Rig {
  const db = openDatabase(':memory:')
  migrate(db)
  db.exec(`INSERT INTO account (id, name, created) VALUES ('acc', 'acme', 0);
    INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
      VALUES ('k', 'acc', '', '', x'01', x'02', 0)`)
  const inline = createInlineWriter(db)
  const clock = createTurnedClock(Date.UTC(2026, 0, 31, 12, 30))
  const logged: string[] = []
  const log: Log = (_level, event) => logged.push(event)
  const writes: (readonly Statement[])[] = []
  const writer: Writer = {
    async write(statements) {
      if (all.failing) throw new Fault('no_space')
      writes.push(statements)
      return await inline.write(statements)
    },
    close: () => inline.close(),
  }
  const usage = createUsage({ db, writer, clock, log, ...options })
  const all: Rig = { usage, db, clock, logged, writes, failing: false }
  return all
}

/** What was written, all hours together, most requests first. */
function readSums(db: Database) {
  return db.all<UsedCall & { readonly requests: number }>(
    `SELECT key_id AS keyId, face, network, method, outcome, sum(requests) AS requests,
         sum(units) AS units, sum(bytes_in) AS bytesIn, sum(bytes_out) AS bytesOut
       FROM usage GROUP BY key_id, face, network, method, outcome
       ORDER BY requests DESC, key_id, method, outcome`,
  )
}

const call: UsedCall = {
  keyId: 'k',
  face: 'rpc',
  network: 'dev',
  method: 'eth_getStorageAt',
  outcome: 'ok',
  units: 80,
  bytesIn: 1,
  bytesOut: 2,
}

test('calls are added up and written in one write each second', async () => {
  const { usage, db, clock, writes } = rig()
  for (let n = 0; n < 5; n++) usage.count(call)
  usage.count({ ...call, outcome: 'over_rate', units: 0 })
  assert.equal(writes.length, 0)
  clock.turn(1000)
  await usage.flush()
  assert.equal(writes.length, 1)
  usage.count(call)
  await usage.flush()
  const sums = readSums(db)
  assert.deepEqual(sums, [
    { ...call, requests: 6, units: 480, bytesIn: 6, bytesOut: 12 },
    {
      ...call,
      outcome: 'over_rate',
      requests: 1,
      units: 0,
      bytesIn: 1,
      bytesOut: 2,
    },
  ])
})

test('nothing used, nothing written', async () => {
  const { usage, clock, writes } = rig()
  clock.turn(5000)
  await usage.flush()
  assert.equal(writes.length, 0)
})

test('a write that fails loses nothing and is logged', async () => {
  const all = rig()
  const { usage, db, logged } = all
  all.failing = true
  usage.count(call)
  await usage.flush()
  assert.deepEqual(logged, ['usage_not_written'])
  usage.count(call)
  assert.equal(usage.unitsToday('k'), 160)
  all.failing = false
  await usage.flush()
  assert.equal(readSums(db)[0]?.requests, 2)
})

test('units of today are those written and those still counted, of the key alone', async () => {
  const { usage, clock } = rig()
  usage.count(call)
  await usage.flush()
  usage.count(call)
  usage.count({ ...call, keyId: 'other' })
  assert.equal(usage.unitsToday('k'), 160)
  clock.turn(2 * 60 * 60 * 1000)
  await usage.flush()
  assert.equal(usage.unitsToday('k'), 160)
  clock.turn(10 * 60 * 60 * 1000)
  assert.equal(usage.unitsToday('k'), 0)
})

test('the day a key was last used is kept, and written once a day', async () => {
  const { usage, db, clock } = rig()
  const revision = (): unknown => db.get(`SELECT number FROM revision WHERE name = 'accounts'`)
  usage.count(call)
  await usage.flush()
  const once = revision()
  usage.count(call)
  await usage.flush()
  assert.deepEqual(revision(), once)
  assert.deepEqual(db.get('SELECT last_used_day FROM api_key'), { last_used_day: '2026-01-31' })
  clock.turn(12 * 60 * 60 * 1000)
  usage.count(call)
  await usage.flush()
  assert.deepEqual(db.get('SELECT last_used_day FROM api_key'), { last_used_day: '2026-02-01' })
})

test('rows between two writes are bounded: what is too much is added up, then reported lost', async () => {
  const { usage, db, logged } = rig({ rowsMax: 2 })
  for (let n = 0; n < 5; n++) usage.count({ ...call, method: `m${n}` })
  for (let n = 0; n < 5; n++) usage.count({ ...call, keyId: `k${n}` })
  await usage.flush()
  const rows = readSums(db)
  assert.deepEqual(
    rows.map(({ keyId, method, requests }) => [keyId, method, requests]),
    [
      ['k', 'other', 3],
      ['k', 'm0', 1],
      ['k', 'm1', 1],
      ['k0', 'other', 1],
    ],
  )
  assert.deepEqual(logged, ['usage_lost'])
})

test('bytes of a month are those of the file face, written or not, from its first hour on', async () => {
  const { usage, clock } = rig()
  const moved = {
    ...call,
    face: 'files',
    network: '',
    method: 'add',
    bytesIn: 10,
    bytesOut: 1,
  } as const
  usage.count(moved)
  usage.count({ ...call, bytesIn: 1000, bytesOut: 1000 })
  assert.deepEqual(usage.bytesThisMonth(['k', 'other']), { up: 10, down: 1 })
  await usage.flush()
  usage.count(moved)
  assert.deepEqual(usage.bytesThisMonth(['k']), { up: 20, down: 2 })
  assert.deepEqual(usage.bytesThisMonth(['other']), { up: 0, down: 0 })
  await usage.flush()
  clock.turn(Date.UTC(2026, 1, 1) - clock.now())
  assert.deepEqual(usage.bytesThisMonth(['k']), { up: 0, down: 0 })
  usage.count(moved)
  await usage.flush()
  assert.deepEqual(usage.bytesThisMonth(['k']), { up: 10, down: 1 })
})
