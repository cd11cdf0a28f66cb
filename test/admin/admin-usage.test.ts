// Usage through the admin operations: reports, rows and CSV agree, and contain only the caller's accounts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportUsage } from '../../src/admin/resources/usage/export-usage.ts'
import { followUsage } from '../../src/admin/resources/usage/follow-usage.ts'
import type { AdminCall } from '../../src/admin/admin-operation.ts'
import { getAllUsage } from '../../src/admin/resources/usage/get-all-usage.ts'
import { getKeyUsage } from '../../src/admin/resources/usage/get-key-usage.ts'
import { getUsage } from '../../src/admin/resources/usage/get-usage.ts'
import { listAllUsage } from '../../src/admin/resources/usage/list-all-usage.ts'
import { listKeyUsage } from '../../src/admin/resources/usage/list-key-usage.ts'
import { listUsage } from '../../src/admin/resources/usage/list-usage.ts'
import { usageCsv } from '../../src/admin/resources/usage/usage-csv.ts'
import { systemClock } from '../../src/base/clock.ts'
import { openPinRows, openUsageView } from '../../src/server/open-admin.ts'
import { openDesk, person } from '../fakes/people/admin-desk.ts'
import { createUsageRig } from '../fakes/people/usage-rig.ts'

function rig() {
  const made = createUsageRig()
  const view = openUsageView(made)
  const desk = openDesk({ usage: view, pins: openPinRows(made.rows, systemClock) }, made.db)
  for (let n = 0; n < 5; n++) made.count()
  made.count({ keyId: 'k2', outcome: 'over_quota', status: 402, units: 0, ms: null })
  made.count({ keyId: 'k3' })
  return { ...made, ...desk, view }
}

test('reports of an account, of its keys and of the server contain the same calls', async () => {
  const { run } = rig()
  const { report, storage } = await run(getUsage, { account: 'a' })
  assert.partialDeepStrictEqual(report, {
    window: '24h',
    totals: { requests: 6, failed: 1, units: 400, bytesIn: 6, bytesOut: 12 },
    holders: [
      { id: 'k1', name: 'key k1', requests: 5 },
      { id: 'k2', name: 'key k2', requests: 1 },
    ],
    reasons: [{ outcome: 'over_quota', reason: '', requests: 1 }],
    split: null,
  })
  assert.deepEqual(storage, { pins: 0, blocks: 0, logicalBytes: 0, physicalBytes: 0 })
  const ofKey = await run(getKeyUsage, { account: 'a', key: 'k2', window: '15m', by: 'reason' })
  assert.equal(ofKey.report.totals.requests, 1)
  assert.deepEqual(
    ofKey.report.split?.parts.map(({ name }) => name),
    ['over_quota'],
  )
  const all = await run(getAllUsage, { window: '1h' })
  assert.deepEqual(
    all.report.holders.map(({ id, name, requests }) => [id, name, requests]),
    [
      ['a', 'a', 6],
      ['b', 'b', 1],
    ],
  )
})

test('the usage of each key counts its calls of the last day, and the series by outcome has a part for each class', async () => {
  const { run, usage } = rig()
  const expected = [
    { id: 'k1', requests: 5, failed: 0, unitsToday: 400 },
    { id: 'k2', requests: 1, failed: 1, unitsToday: 0 },
  ]
  for (const isWritten of [false, true]) {
    if (isWritten) await usage.flush()
    const { keys } = await run(listKeyUsage, { account: 'a' })
    const sorted = keys.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    assert.partialDeepStrictEqual(sorted, expected)
    assert.equal(sorted[0]?.hours?.at(-1), 5)
    assert.ok((sorted[0]?.lastUsed ?? 0) > 0)
  }
  const { report } = await run(getUsage, { account: 'a', by: 'outcome' })
  assert.deepEqual(
    report.split?.parts.map(({ name, requests }) => [name, requests.at(-1)]),
    [
      ['answered', 5],
      ['refused', 1],
    ],
  )
})

test('rows and their CSV sum to the report', async () => {
  const { run, view } = rig()
  const { report } = await run(getUsage, { account: 'a' })
  const { lines } = await run(listUsage, { account: 'a', since: '0' })
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  assert.equal(sum(lines.map(({ requests }) => requests)), report.totals.requests)
  assert.equal(sum(lines.map(({ units }) => units)), report.totals.units)
  const csv = await exportUsage.run({ account: 'a', since: 0, span: 'hour' }, {
    usage: view,
  } as AdminCall)
  assert.equal(csv.type, 'text/csv')
  const [headings = '', ...rows] = csv.text.trimEnd().split('\r\n')
  assert.equal(
    headings,
    'start,accountId,keyId,face,network,method,outcome,reason,status,requests,units,bytesIn,bytesOut',
  )
  assert.equal(sum(rows.map((row) => Number(row.split(',')[9]))), report.totals.requests)
  assert.equal(rows[0], '2026-01-31T12:00:00.000Z,a,k1,rpc,dev,eth_call,ok,,200,5,400,5,10')
  const all = await run(listAllUsage, { span: 'day' })
  assert.equal(all.lines.length, 3)
  assert.deepEqual(all.storage, { accounts: [], stored: { blocks: 0, bytes: 0 } })
})

test('foreign accounts and keys are absent', async () => {
  const { refusal } = rig()
  const member = person({ a: 'member' })
  assert.match(await refusal(getUsage, { account: 'b' }, member), /^absent: /)
  assert.match(await refusal(listUsage, { account: 'b' }, member), /^absent: /)
  assert.match(await refusal(getKeyUsage, { account: 'a', key: 'k3' }, member), /^absent: /)
  assert.match(await refusal(listUsage, { account: 'a', key: 'k3' }, member), /^absent: /)
  assert.match(await refusal(getAllUsage, {}, member), /^not_allowed: /)
  assert.equal(await refusal(getUsage, { account: 'a' }, member), 'done')
})

test('reports and rows have the calls of an own time, of one network and of one method', async () => {
  const { run, count, refusal } = rig()
  count({ network: 'mainnet', method: 'eth_getLogs' })
  const until = String(Date.UTC(2026, 1, 1))
  const own = { account: 'a', from: String(Date.UTC(2026, 0, 30)), until }
  const of = async (filter: object) => (await run(getUsage, { ...own, ...filter })).report
  const all = await of({})
  assert.deepEqual([all.window, all.span, all.totals.requests], [null, 'hour', 7])
  assert.equal((await of({ network: 'mainnet' })).totals.requests, 1)
  assert.equal((await of({ method: 'eth_call', face: 'rpc' })).totals.requests, 6)
  assert.equal((await of({ face: 'files' })).totals.requests, 0)
  const { lines } = await run(listUsage, { account: 'a', until, method: 'eth_getLogs' })
  assert.deepEqual(
    lines.map(({ network, requests }) => [network, requests]),
    [['mainnet', 1]],
  )
  const half = await refusal(getUsage, { account: 'a', from: '1' })
  assert.match(half, /^bad_input: .*until is missing/)
})

test('invalid windows, intervals and times are refused as bad_input', async () => {
  const { refusal } = rig()
  for (const wrong of [{ window: '2h' }, { by: 'colour' }, { extra: '1' }]) {
    assert.match(await refusal(getUsage, { account: 'a', ...wrong }), /^bad_input: /)
  }
  for (const wrong of [{ span: 'week' }, { since: 'monday' }, { since: '-1' }]) {
    assert.match(await refusal(listUsage, { account: 'a', ...wrong }), /^bad_input: /)
  }
})

test('a subscriber of an account receives its usage per second until it disconnects', async () => {
  const { accounts, view, usage, count } = rig()
  const leaving = new AbortController()
  const call = { accounts, usage: view, signal: leaving.signal } as unknown as AdminCall
  const events = await followUsage.run({ account: 'a' }, call)
  const seconds = events[Symbol.asyncIterator]()
  await usage.flush()
  assert.equal((await seconds.next()).value.totals.requests, 6)
  count({ keyId: 'k2' })
  await usage.flush()
  assert.equal((await seconds.next()).value.totals.requests, 1)
  leaving.abort()
  assert.equal((await seconds.next()).done, true)
})

test('a CSV cell cannot start a formula or a new line', () => {
  const line = {
    start: 0,
    accountId: '=1+1',
    keyId: 'a,"b"',
    face: 'rpc',
    network: '',
    method: '@x',
    outcome: 'ok',
    reason: '',
    status: 200,
    requests: 1,
    units: 1,
    bytesIn: 0,
    bytesOut: 0,
  } as const
  const [, row] = usageCsv([line]).split('\r\n')
  assert.equal(row, `1970-01-01T00:00:00.000Z,'=1+1,"a,""b""",rpc,,'@x,ok,,200,1,1,0,0`)
})
