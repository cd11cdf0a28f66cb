import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirrored } from '../../../test/fakes/mirrored-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { quantileOf, stepOf } from '../../base/latency.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { everyCall, type UsageFilter } from '../../tables/usage.ts'
import { dimensions, type UsageScope } from './usage-collecting.ts'
import { createUsageReports } from './usage-report.ts'
import type { UsedCall } from './usage-row.ts'
import { createUsage } from './usage.ts'
import { type UsagePeriod, windowNames } from './usage-window.ts'

const keys = ['k1', 'k2', 'k3'] as const
const accountOf = { k1: 'a', k2: 'a', k3: 'b' } as const
const day = 86_400_000

type Counted = UsedCall & { readonly at: number }

/** Calls over a month; the last ones are not written yet. */
async function rig(start = Date.UTC(2026, 0, 1, 10, 17)) {
  const db = openDatabase(':memory:')
  migrate(db)
  const rows = mirrored(createSqliteRows(db, createInlineWriter(db)))
  await rows.write([
    {
      sql: 'INSERT INTO account (id, name, created) VALUES (?, ?, 0)',
      parameters: [],
      rows: [
        ['a', 'a'],
        ['b', 'b'],
      ],
    },
    {
      sql: `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
        VALUES (?, ?, '', '', ?, ?, 0)`,
      parameters: [],
      rows: keys.map((id) => [id, accountOf[id], Buffer.from(id), new Uint8Array(1)]),
    },
  ])
  // Whole days and hours pass in one step, because single seconds would take too long.
  let now = start
  const manualClock = createManualClock()
  const clock = { ...manualClock, now: () => now }
  const usage = createUsage({ db, rows, clock, log: () => {} })
  const reports = createUsageReports({ clock, read: usage.read })
  const calls: Counted[] = []
  let seed = 7
  const below = (max: number): number => (seed = (seed * 48_271) % 2_147_483_647) % max
  const fates = [
    { outcome: 'ok', reason: '', status: 200 },
    { outcome: 'ok', reason: '', status: 200 },
    { outcome: 'refused_by_setting', reason: 'origin', status: 403 },
    { outcome: 'over_rate', reason: '', status: 429 },
  ] as const
  function call(): void {
    const keyId = keys[below(3)] ?? 'k1'
    const files = below(4) === 0
    const fate = fates[below(4)] ?? fates[0]
    const made: UsedCall = {
      keyId,
      accountId: accountOf[keyId],
      face: files ? 'files' : 'rpc',
      network: files ? '' : (['dev', 'mainnet'][below(2)] ?? ''),
      method: `m${below(12)}`,
      verified: files || fate.outcome !== 'ok' ? '' : (['proof', 'quorum', ''][below(3)] ?? ''),
      ...fate,
      units: below(100),
      bytesIn: below(10),
      bytesOut: below(10),
      ms: fate.outcome === 'ok' ? below(1000) / 7 : null,
    }
    usage.count(made)
    calls.push({ ...made, at: now })
  }
  for (const passed of [
    day,
    3 * day,
    22 * day,
    5 * day,
    18 * 3_600_000,
    7_000_000,
    600_000,
    60_000,
  ]) {
    for (let n = 0; n < 60; n++) call()
    await usage.flush()
    now += passed
    manualClock.advance(1000)
    await usage.flush()
  }
  for (let n = 0; n < 60; n++) call()
  return { reports, calls, usage, now }
}

const lengths = { '15m': 60_000, '1h': 60_000, '24h': 3_600_000, '7d': 3_600_000, '30d': day }
const counts = { '15m': 15, '1h': 60, '24h': 24, '7d': 168, '30d': 30 }
const scopes: readonly UsageScope[] = [
  { keyId: 'k1' },
  { keyId: 'k3' },
  { accountId: 'a' },
  { accountId: 'b' },
  { all: true },
]

function sumsOf(calls: readonly Counted[]) {
  const sum = (of: (call: Counted) => number) => calls.reduce((all, call) => all + of(call), 0)
  return {
    requests: calls.length,
    failed: calls.filter(({ outcome }) => outcome !== 'ok').length,
    units: sum(({ units }) => units),
    bytesIn: sum(({ bytesIn }) => bytesIn),
    bytesOut: sum(({ bytesOut }) => bytesOut),
  }
}

function partOf(calls: readonly Counted[]) {
  const steps = new Float64Array(74)
  const ran = calls.flatMap(({ ms }) => (ms === null ? [] : [ms]))
  for (const ms of ran) steps[stepOf(ms)] = (steps[stepOf(ms)] ?? 0) + 1
  const at = (q: number) => Number((quantileOf(steps, q) ?? 0).toPrecision(3))
  const latency = { calls: ran.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
  return { ...sumsOf(calls), latency: ran.length === 0 ? null : latency }
}

/** The expected report for each value of `of`. */
function groups<T>(
  calls: readonly Counted[],
  of: (call: Counted) => string,
  to: (some: readonly Counted[]) => T,
) {
  return Object.fromEntries([...Map.groupBy(calls, of)].map(([name, some]) => [name, to(some)]))
}

test('every window, scope and breakdown of a report sums to the calls', async () => {
  const { reports, calls, now } = await rig()
  for (const window of windowNames) {
    for (const scope of scopes) {
      const report = await reports.report(scope, window)
      const length = lengths[window]
      const from = now - (now % length) - counts[window] * length
      const own = calls.filter(
        ({ at, keyId, accountId }) =>
          at >= from &&
          ('all' in scope ||
            ('keyId' in scope ? scope.keyId === keyId : scope.accountId === accountId)),
      )
      const name = `${window} of ${JSON.stringify(scope)}`
      assert.ok(own.length > 0, name)
      assert.equal(report.from, from)
      assert.deepEqual(report.totals, partOf(own), name)
      const byName = <Row extends object>(rows: readonly Row[], of: (row: Row) => string) =>
        Object.fromEntries(rows.map((row) => [of(row), row]))
      assert.deepEqual(
        report.series.filter(({ requests }) => requests > 0),
        Object.values(
          groups(
            own,
            ({ at }) => String(at - (at % length)),
            (some) => {
              const start = (some[0]?.at ?? 0) - ((some[0]?.at ?? 0) % length)
              return { start, complete: start + length <= now, ...partOf(some) }
            },
          ),
        ),
        name,
      )
      assert.deepEqual(
        byName(report.methods, ({ face, method }) => `${face} ${method}`),
        groups(
          own,
          ({ face, method }) => `${face} ${method}`,
          (some) => {
            const [{ face, method } = { face: '', method: '' }] = some
            return { face, method, ...partOf(some) }
          },
        ),
        name,
      )
      assert.deepEqual(
        byName(report.networks, ({ network }) => network),
        groups(
          own,
          ({ network }) => network,
          (some) => {
            const [{ face, network } = { face: '', network: '' }] = some
            return { face, network, ...partOf(some) }
          },
        ),
      )
      assert.deepEqual(
        byName(report.statuses, ({ status }) => String(status)),
        groups(
          own,
          ({ status }) => String(status),
          (some) => ({
            status: some[0]?.status,
            ...sumsOf(some),
          }),
        ),
      )
      assert.equal(
        report.table.reduce((sum, { units }) => sum + units, 0),
        report.totals.units,
      )
      assert.equal(
        report.reasons.reduce((sum, { requests }) => sum + requests, 0),
        report.totals.failed,
      )
      assert.deepEqual(
        byName(report.verified, ({ network, level }) => `${network} ${level}`),
        groups(
          own.filter(({ verified }) => verified !== ''),
          ({ network, verified }) => `${network} ${verified}`,
          (some) => ({
            network: some[0]?.network,
            level: some[0]?.verified,
            requests: some.length,
          }),
        ),
        name,
      )
      const below = 'keyId' in scope ? [] : report.holders
      assert.deepEqual(
        byName(below, ({ id }) => id),
        'keyId' in scope
          ? {}
          : groups(
              own,
              ({ keyId, accountId }) => ('all' in scope ? accountId : keyId),
              (some) => ({
                id: 'all' in scope ? some[0]?.accountId : some[0]?.keyId,
                ...partOf(some),
              }),
            ),
        name,
      )
    }
  }
})

test('the running interval is included and marked, with as many whole ones as the window has', async () => {
  const { reports } = await rig()
  for (const window of windowNames) {
    const { series } = await reports.report({ all: true }, window)
    assert.equal(series.length, counts[window] + 1)
    assert.deepEqual(
      series.map(({ complete }) => complete),
      [...Array.from({ length: counts[window] }, () => true), false],
    )
  }
})

test('a series is split by the requested dimension; beyond the limit, rare names are merged', async () => {
  const { reports } = await rig()
  const scope = { accountId: 'a' } as const
  const { series, totals } = await reports.report(scope, '30d')
  for (const by of dimensions) {
    const { split } = await reports.report(scope, '30d', by)
    assert.equal(split?.by, by)
    assert.ok((split?.parts.length ?? 0) <= 9)
    const sums = series.map((_, at) =>
      split?.parts.reduce((sum, { requests }) => sum + (requests[at] ?? 0), 0),
    )
    if (by === 'reason') {
      assert.equal(
        sums.reduce((all, some) => (all ?? 0) + (some ?? 0), 0),
        totals.failed,
      )
    } else {
      assert.deepEqual(
        sums,
        series.map(({ requests }) => requests),
        by,
      )
    }
  }
  const methods = (await reports.report(scope, '30d', 'method')).split?.parts.map(
    ({ name }) => name,
  )
  assert.equal(methods?.at(-1), '4 more')
})

test('usage of the current second is in the report before it is written', async () => {
  const { reports, usage } = await rig()
  const before = await reports.report({ all: true }, '15m')
  await usage.flush()
  const after = await reports.report({ all: true }, '15m')
  assert.deepEqual(after, before)
})

const filters: readonly UsageFilter[] = [
  { ...everyCall, network: 'mainnet' },
  { ...everyCall, method: 'm3' },
  { ...everyCall, face: 'files' },
  { face: 'rpc', network: 'dev', method: 'm5' },
]

function ownOf(scope: UsageScope, calls: readonly Counted[]): readonly Counted[] {
  return calls.filter(({ keyId, accountId }) => {
    if ('keyId' in scope) return scope.keyId === keyId
    return 'accountId' in scope ? scope.accountId === accountId : true
  })
}

test('a filter leaves the calls of one API, network or method in every figure', async () => {
  const { reports, calls, usage } = await rig()
  for (const isWritten of [false, true]) {
    if (isWritten) await usage.flush()
    for (const filter of filters) {
      const wanted = calls.filter(
        (call) =>
          (filter.face ?? call.face) === call.face &&
          (filter.network ?? call.network) === call.network &&
          (filter.method ?? call.method) === call.method,
      )
      for (const scope of scopes) {
        const report = await reports.report(scope, '30d', 'outcome', filter)
        const own = ownOf(scope, wanted).filter(({ at }) => at >= report.from)
        const name = `${JSON.stringify(filter)} of ${JSON.stringify(scope)}`
        const requestsOf = (rows: readonly { readonly requests: number }[]) =>
          rows.reduce((sum, { requests }) => sum + requests, 0)
        assert.deepEqual(report.totals, partOf(own), name)
        for (const rows of [report.series, report.methods, report.networks, report.table]) {
          assert.equal(requestsOf(rows), own.length, name)
        }
        if (!('keyId' in scope)) assert.equal(requestsOf(report.holders), own.length, name)
        const split = report.split?.parts.flatMap(({ requests }) => requests) ?? []
        assert.equal(
          split.reduce((sum, count) => sum + count, 0),
          own.length,
          name,
        )
        const labelled = own.filter(({ verified }) => verified !== '')
        const isCounted = filter.method === null && filter.face !== 'files'
        assert.equal(requestsOf(report.verified), isCounted ? labelled.length : 0, name)
      }
    }
  }
})

test('any period has the calls of its intervals, from any rows that cover it', async () => {
  const { reports, calls, now } = await rig()
  const hour = 3_600_000
  const periods: readonly (readonly [UsagePeriod, number])[] = [
    [{ from: now - 40 * 60_000, until: now - 10_000 }, 60_000],
    [{ from: now - 150 * 60_000 - 1, until: now - 30 * 60_000 }, 60_000],
    [{ from: now - 9 * day, until: now - 2 * day - 7 * hour }, hour],
    [{ from: now - 26 * hour, until: now + day }, hour],
    [{ from: now - 3 * hour, until: now - 2 * hour, span: 'day' }, day],
    [{ from: now - 300 * day, until: now - 4 * day }, day],
    [{ from: 86_400_000, until: 86_400_001, span: 'minute' }, 60_000],
  ]
  for (const [period, length] of periods) {
    assert.ok(typeof period === 'object')
    const from = period.from - (period.from % length)
    const until = Math.min(Math.ceil(period.until / length) * length, now)
    for (const scope of scopes) {
      const report = await reports.report(scope, period, 'holder')
      const own = ownOf(scope, calls).filter(
        ({ at }) => at >= from && (at < until || until === now),
      )
      const name: string = `${JSON.stringify(period)} of ${JSON.stringify(scope)}`
      assert.deepEqual([report.window, report.from, report.until], [null, from, until], name)
      assert.deepEqual(report.totals, partOf(own), name)
      assert.equal(
        report.series.reduce((sum, { requests }) => sum + requests, 0),
        own.length,
        name,
      )
      assert.deepEqual(
        report.series.map(({ complete }) => complete),
        report.series.map(({ start }) => start + length <= now),
        name,
      )
    }
  }
})

test('a period that ends before it begins, is in the future, or has too many intervals is refused', async () => {
  const { reports, now } = await rig()
  const refused: readonly (readonly [UsagePeriod, RegExp])[] = [
    [{ from: now, until: now }, /until must be after from/],
    [{ from: now + 1, until: now + 2 }, /from is in the future/],
    [{ from: 0, until: now }, /intervals of one day, at most 1500/],
    [{ from: now - 2 * day, until: now, span: 'minute' }, /2881 intervals of one minute/],
  ]
  for (const [period, message] of refused) {
    await assert.rejects(reports.report({ all: true }, period), { code: 'bad_input', message })
  }
})
