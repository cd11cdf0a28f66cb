import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../../test/fakes/seeded.ts'
import { createManualClock, type ManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { query, type Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import { NothingChanged, type Statement, type Writer } from '../../db/writer.ts'
import { addUsage } from '../../tables/usage-additions.ts'
import { numberFlush } from '../../tables/usage-flushes.ts'
import { createUsageReports } from './usage-report.ts'
import { type Usage, createUsage } from './usage.ts'
import type { FlushedRow, UsedCall } from './usage-row.ts'

type Rig = {
  readonly usage: Usage
  readonly db: Database
  readonly clock: ManualClock
  readonly logged: string[]
  readonly writes: (readonly Statement[])[]
  failing: boolean
}

function rig(
  options: { readonly rowsMax?: number; readonly remote?: (rows: Rows) => Rows } = {},
): Rig {
  const db = openDatabase(':memory:')
  migrate(db)
  db.exec(`INSERT INTO account (id, name, created) VALUES ('acc', 'acme', 0);
    INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
      VALUES ('k', 'acc', '', '', x'01', x'02', 0)`)
  const inline = createInlineWriter(db)
  const clock = createManualClock(Date.UTC(2026, 0, 31, 12, 30))
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
  const local = createSqliteRows(db, writer)
  const usage = createUsage({
    db,
    rows: options.remote?.(local) ?? local,
    clock,
    log,
    ...options,
  })
  const all: Rig = { usage, db, clock, logged, writes, failing: false }
  return all
}

type Sums = Omit<UsedCall, 'ms' | 'accountId'> & { readonly requests: number }

/** All written rows, minutes summed, most requests first. Throws if hours or days differ. */
function readSums(db: Database): Sums[] {
  const [minutes = [], ...others] = [1, 60, 1440].map((span) =>
    db.all<Sums>(
      `SELECT holder AS keyId, face, network, method, outcome, reason, status, sum(requests) AS requests,
           sum(units) AS units, sum(bytes_in) AS bytesIn, sum(bytes_out) AS bytesOut
         FROM usage WHERE span = ? AND holder NOT IN ('*', '@acc') GROUP BY holder, face, network, method, outcome, reason, status
         ORDER BY requests DESC, holder, method, outcome`,
      [span],
    ),
  )
  for (const other of others) assert.deepEqual(other, minutes)
  return minutes
}

const call: UsedCall = {
  keyId: 'k',
  accountId: 'acc',
  face: 'rpc',
  network: 'dev',
  method: 'eth_getStorageAt',
  verified: 'proof',
  outcome: 'ok',
  reason: '',
  status: 200,
  units: 80,
  bytesIn: 1,
  bytesOut: 2,
  ms: null,
}

test('calls are summed and written in one write per second', async () => {
  const { usage, db, clock, writes } = rig()
  for (let n = 0; n < 5; n++) usage.count(call)
  usage.count({ ...call, outcome: 'over_rate', status: 429, units: 0 })
  assert.equal(writes.length, 0)
  clock.advance(1000)
  await usage.flush()
  assert.equal(writes.length, 1)
  usage.count(call)
  await usage.flush()
  const { ms: _none, accountId: _account, verified: _label, ...named } = call
  assert.deepEqual(readSums(db), [
    { ...named, requests: 6, units: 480, bytesIn: 6, bytesOut: 12 },
    {
      ...named,
      outcome: 'over_rate',
      status: 429,
      requests: 1,
      units: 0,
      bytesIn: 1,
      bytesOut: 2,
    },
  ])
})

test('without usage no row is written', async () => {
  const { usage, clock, writes } = rig()
  clock.advance(5000)
  await usage.flush()
  assert.equal(writes.length, 0)
})

test('a failed write loses no counts and is logged', async () => {
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
  clock.advance(2 * 60 * 60 * 1000)
  await usage.flush()
  assert.equal(usage.unitsToday('k'), 160)
  clock.advance(10 * 60 * 60 * 1000)
  assert.equal(usage.unitsToday('k'), 0)
})

test('the day a key was last used is stored, and written once a day', async () => {
  const { usage, db, clock } = rig()
  const revision = (): unknown => db.get(`SELECT number FROM revision WHERE name = 'accounts'`)
  usage.count(call)
  await usage.flush()
  const once = revision()
  usage.count(call)
  await usage.flush()
  assert.deepEqual(revision(), once)
  assert.deepEqual(db.get('SELECT last_used_day FROM api_key'), { last_used_day: '2026-01-31' })
  clock.advance(12 * 60 * 60 * 1000)
  usage.count(call)
  await usage.flush()
  assert.deepEqual(db.get('SELECT last_used_day FROM api_key'), { last_used_day: '2026-02-01' })
})

test('rows between two writes are limited: calls beyond are merged, then reported as lost', async () => {
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

test('monthly bytes are those of the IPFS API, written or not, from its first hour on', async () => {
  const { usage, clock } = rig()
  const moved = {
    ...call,
    face: 'files',
    network: '',
    method: 'add',
    verified: '',
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
  clock.advance(Date.UTC(2026, 1, 1) - clock.now())
  assert.deepEqual(usage.bytesThisMonth(['k']), { up: 0, down: 0 })
  usage.count(moved)
  await usage.flush()
  assert.deepEqual(usage.bytesThisMonth(['k']), { up: 10, down: 1 })
})

test('each row stands in its minute, its hour and its day', async () => {
  const { usage, db, clock } = rig()
  const starts = (span: number) =>
    db.all("SELECT start, requests FROM usage WHERE holder = 'k' AND span = ? ORDER BY start", [
      span,
    ])
  const [noon, half] = [Date.UTC(2026, 0, 31, 12), Date.UTC(2026, 0, 31, 12, 30)]
  usage.count(call)
  await usage.flush()
  clock.advance(61_000)
  usage.count(call)
  await usage.flush()
  assert.deepEqual(starts(1), [
    { start: half, requests: 1 },
    { start: half + 60_000, requests: 1 },
  ])
  assert.deepEqual(starts(60), [{ start: noon, requests: 2 }])
  assert.deepEqual(starts(1440), [{ start: Date.UTC(2026, 0, 31), requests: 2 }])
})

test('one outcome with two reasons is two rows', async () => {
  const { usage, db } = rig()
  const refused = { ...call, outcome: 'refused_by_setting', status: 403, units: 0 } as const
  for (const reason of ['method', 'origin', 'method']) usage.count({ ...refused, reason })
  await usage.flush()
  assert.deepEqual(
    readSums(db).map(({ reason, requests }) => [reason, requests]),
    [
      ['method', 2],
      ['origin', 1],
    ],
  )
})

test('answers are counted by network and verification level, and bytes alone are no answer', async () => {
  const { usage, db, clock } = rig()
  const read = (holder: string, span: number) =>
    db
      .all<{ network: string; level: string; requests: number }>(
        'SELECT network, level, requests FROM verified WHERE holder = ? AND span = ? ORDER BY level',
        [holder, span],
      )
      .map(({ network, level, requests }) => [network, level, requests])
  usage.count(call)
  usage.countBytes({ ...call, verified: '' })
  usage.count({ ...call, method: 'eth_call', verified: 'quorum' })
  usage.count({ ...call, method: 'eth_chainId', verified: '' })
  await usage.flush()
  // The minute ends between the count of a call and the count of its bytes.
  usage.count(call)
  await usage.flush()
  clock.advance(61_000)
  usage.countBytes({ ...call, verified: '' })
  await usage.flush()
  for (const holder of ['k', '@acc', '*']) {
    for (const span of [60, 1440]) {
      assert.deepEqual(read(holder, span), [
        ['dev', 'proof', 2],
        ['dev', 'quorum', 1],
      ])
    }
  }
  const [sums] = readSums(db)
  assert.deepEqual([sums?.requests, sums?.units, sums?.bytesIn], [2, 160, 4])
})

test('how long calls took is added up by method, of those that ran', async () => {
  const { usage, db } = rig()
  const read = () =>
    db.all(
      "SELECT span, part, c0, c1, c14 FROM latency WHERE holder = 'k' ORDER BY span, part",
    ) as unknown[]
  for (const ms of [0.01, 0.06, 0.06, 1]) usage.count({ ...call, ms })
  usage.count({ ...call, outcome: 'deadline', status: 504, ms: 30_000 })
  usage.count({ ...call, outcome: 'over_rate', status: 429 })
  await usage.flush()
  usage.count({ ...call, ms: 0.01 })
  await usage.flush()
  assert.deepEqual(
    read(),
    [1, 60, 1440].flatMap((span) => [
      { span, part: 0, c0: 2, c1: 2, c14: 1 },
      { span, part: 3, c0: 0, c1: 0, c14: 0 },
    ]),
  )
})

test('listeners get each row once, when it is written', async () => {
  const all = rig()
  const { usage, logged } = all
  const flushed: (readonly FlushedRow[])[] = []
  usage.onFlush(() => {
    throw new Error('no listener of ours')
  })
  const end = usage.onFlush((rows) => flushed.push(rows))
  await usage.flush()
  all.failing = true
  usage.count({ ...call, ms: 1 })
  await usage.flush()
  assert.equal(flushed.length, 0)
  all.failing = false
  usage.count({ ...call, ms: 1 })
  await usage.flush()
  // The failed write is repeated unchanged, before the next one.
  assert.deepEqual(logged, ['usage_not_written', 'usage_listener_failed', 'usage_listener_failed'])
  assert.deepEqual(
    flushed.map((rows) => rows.map(({ requests, latency }) => [requests, latency?.[14]])),
    [[[1, 1]], [[1, 1]]],
  )
  end()
  usage.count(call)
  await usage.flush()
  assert.equal(flushed.length, 2)
})

test('a report contains each call exactly once, before, during and after its write', async () => {
  const { usage, writes } = rig()
  const sql = "SELECT total(requests) AS requests FROM usage WHERE holder = 'k' AND span = 1"
  const requests = async () => {
    const { rows, unwritten } = await usage.read([query<{ requests: number }>(sql)], () => true)
    return unwritten.reduce((sum, row) => sum + row.requests, rows[0][0]?.requests ?? 0)
  }
  usage.count(call)
  assert.equal(await requests(), 1)
  const flushing = usage.flush()
  // The inline writer has written; its reply is pending.
  assert.equal(writes.length, 1)
  assert.equal(await requests(), 1)
  assert.equal(usage.unitsToday('k'), 80)
  // Check each step until the writer's reply is handled.
  for (let step = 0; step < 20; step++) {
    await Promise.resolve()
    assert.equal(await requests(), 1, `step ${step}`)
  }
  await flushing
  assert.equal(await requests(), 1)
})

/** Rows of a simulated remote database: reads and writes take some steps, and writes fail or lose their reply. */
function remoteRows(local: Rows, below: (max: number) => number): Rows {
  async function pass(most = 12): Promise<void> {
    for (let left = below(most); left > 0; left--) await Promise.resolve()
  }
  async function late<Result>(run: () => Promise<Result>, most?: number): Promise<Result> {
    await pass(most)
    const result = await run()
    await pass(most)
    return result
  }
  return {
    ...local,
    first: (one) => late(() => local.first(one)),
    // Some snapshots include a write that starts later.
    snapshot: (queries) => late(() => local.snapshot(queries), 120),
    write: (statements) =>
      late(async () => {
        const fate = below(4)
        if (fate === 0) throw new Error('no connection')
        const changes = await local.write(statements)
        await pass()
        if (fate === 1) throw new Error('the reply was lost')
        return changes
      }),
  }
}

test('reports during flushes, failed ones too, contain each call exactly once', async () => {
  const below = seeded(1)
  const { usage, clock } = rig({ remote: (rows) => remoteRows(rows, below) })
  const { report } = createUsageReports({ clock, read: usage.read })
  let counted = 0
  const count = (): void => {
    for (let left = below(3); left > 0; left--) {
      usage.count({ ...call, method: `m${below(3)}`, ms: 1 })
      counted++
    }
  }
  /** `most`: number of calls counted when the report ends. */
  const check = async (least: number, most: () => number): Promise<void> => {
    const { totals, series, holders } = await report({ accountId: 'acc' }, '1h')
    const { requests, latency } = totals
    assert.ok(requests >= least && requests <= most(), `${requests} of ${least} to ${most()}`)
    assert.equal(latency?.calls ?? 0, requests)
    for (const parts of [series, holders]) {
      assert.equal(
        parts.reduce((sum, part) => sum + part.requests, 0),
        requests,
      )
    }
  }
  for (let round = 0; round < 120; round++) {
    count()
    const flushes = [usage.flush()]
    count()
    if (below(2) === 0) flushes.push(usage.flush())
    const isCounting = below(2) === 0
    const checks: Promise<void>[] = []
    for (let at = 0; at < 4; at++) {
      const least = counted
      checks.push(check(least, () => (isCounting ? counted : least)))
      for (let left = below(10); left > 0; left--) await Promise.resolve()
      if (isCounting) count()
    }
    await Promise.all([...checks, ...flushes])
    await check(counted, () => counted)
  }
})

test('a write whose reply was lost is repeated under its number, and counts once', async () => {
  let isLost = true
  const { usage, db } = rig({
    remote: (rows) => ({
      ...rows,
      async write(statements) {
        const changes = await rows.write(statements)
        if (isLost) throw new Error('the reply was lost')
        return changes
      },
    }),
  })
  usage.count(call)
  await usage.flush()
  usage.count(call)
  await usage.flush()
  isLost = false
  await usage.flush()
  assert.equal(readSums(db)[0]?.requests, 2)
  usage.count(call)
  const { unwritten } = await usage.read([], () => true)
  assert.equal(unwritten[0]?.requests, 1)
  assert.equal(usage.unitsToday('k'), 240)
})

test('two writers that count for one key count each call once', async () => {
  const { usage, db, clock } = rig()
  const rows = createSqliteRows(db, createInlineWriter(db))
  const other = createUsage({ db, rows, clock, log: () => {} })
  for (const one of [usage, other, usage]) {
    one.count(call)
    await one.flush()
  }
  other.count(call)
  assert.equal(readSums(db)[0]?.requests, 3)
  const { unwritten } = await usage.read([], () => true)
  assert.deepEqual(unwritten, [])
  assert.equal(other.unitsToday('k'), 320)
  await other.flush()
  assert.equal(readSums(db)[0]?.requests, 4)
})

test('a flush with a number that is written changes nothing and says so', async () => {
  const { db } = rig()
  const rows = createSqliteRows(db, createInlineWriter(db))
  const flush = (seq: number): readonly Statement[] => [
    numberFlush('w', seq, 1),
    ...addUsage({
      usage: [['k', 'acc', 0, 'rpc', 'dev', 'm', 'ok', '', 200, 1, 80, 1, 2]],
      latencies: [],
      verified: [],
      transfers: [],
      keyUses: [],
    }),
  ]
  await rows.write(flush(1))
  await rows.write(flush(2))
  await assert.rejects(rows.write(flush(2)), NothingChanged)
  await assert.rejects(rows.write(flush(1)), NothingChanged)
  // A lost flush does not affect later ones.
  await rows.write(flush(4))
  await assert.rejects(rows.write(flush(3)), NothingChanged)
  assert.equal(readSums(db)[0]?.requests, 3)
})

test('usage of keys is also stored for their account and for all accounts', async () => {
  const { usage, db } = rig()
  usage.count({ ...call, ms: 1 })
  usage.count({ ...call, keyId: 'k2', ms: 1 })
  usage.count({ ...call, keyId: 'k3', accountId: 'acc2', ms: 1 })
  await usage.flush()
  const rows = (sql: string) => db.all<{ holder: string; n: number }>(sql)
  const expected = { '*': 3, '@acc': 2, '@acc2': 1, k: 1, k2: 1, k3: 1 }
  for (const sql of [
    'SELECT holder, requests AS n FROM usage WHERE span = 1440',
    'SELECT holder, c14 AS n FROM latency WHERE span = 1440',
  ]) {
    assert.deepEqual(Object.fromEntries(rows(sql).map(({ holder, n }) => [holder, n])), expected)
  }
})
