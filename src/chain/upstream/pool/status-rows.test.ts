import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { silentLog } from '../../../base/log.ts'
import { createInlineWriter } from '../../../db/inline-writer.ts'
import { migrate } from '../../../db/migrate.ts'
import { createSqliteRows } from '../../../db/sqlite-rows.ts'
import { openDatabase } from '../../../db/sqlite.ts'
import type { Writer } from '../../../db/writer.ts'
import { listStatusRows, statusRowsLimits, writeStatusRows } from './status-rows.ts'
import type { UpstreamStatus } from '../node/upstream.ts'

const sound: UpstreamStatus = {
  name: 'a',
  trusted: true,
  state: 'ok',
  leftMs: null,
  p50Ms: 3,
  p95Ms: 9,
  successRate: 1,
  head: 54n,
  heads: 'polled',
  lag: 0,
  reach: { body: 'all', receipts: 'all', state: { age: 127n }, proof: 'unknown' },
  lacks: [],
  history: { slot: 0, calls: [], failed: [], lastFailure: null },
  lies: 0,
}

function open() {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock(5)
  const inline = createInlineWriter(db)
  let writes = 0
  const writer: Writer = {
    ...inline,
    write(statements) {
      writes += 1
      return inline.write(statements)
    },
  }
  const state = { upstreams: [sound] as readonly UpstreamStatus[] }
  const rows = writeStatusRows({
    statuses: () =>
      state.upstreams.length === 0
        ? []
        : [{ network: 'n', status: { upstreams: state.upstreams, alarms: [] } }],
    writer,
    clock,
    log: silentLog,
  })
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  const stored = createSqliteRows(db, writer)
  return { stored, clock, state, rows, writes: () => writes, settled }
}

test('the status of upstreams is readable by other processes from the start, numbers as text', async () => {
  const { stored, settled } = open()
  await settled()
  assert.deepEqual(await listStatusRows(stored), [
    {
      network: 'n',
      time: 5,
      status: { ...sound, head: '54', reach: { ...sound.reach, state: { age: '127' } } },
      alarms: [],
    },
  ])
})

test('a change of state is written within seconds, a change of latency within a minute', async () => {
  const { stored, clock, state, writes, settled } = open()
  await settled()
  state.upstreams = [{ ...sound, p95Ms: 10 }]
  clock.advance(statusRowsLimits.lookMs)
  await settled()
  assert.equal(writes(), 1)
  state.upstreams = [{ ...sound, state: 'quarantined', lies: 1 }]
  clock.advance(statusRowsLimits.lookMs)
  await settled()
  assert.equal(writes(), 2)
  assert.equal((await listStatusRows(stored))[0]?.status.state, 'quarantined')
  state.upstreams = [{ ...sound, state: 'quarantined', lies: 1, p95Ms: 11 }]
  clock.advance(statusRowsLimits.writeMs)
  await settled()
  assert.equal(writes(), 3)
})

test('stopping removes the rows, and a server without upstreams writes nothing', async () => {
  const { stored, clock, rows, settled } = open()
  await settled()
  await rows.stop()
  assert.deepEqual(await listStatusRows(stored), [])
  assert.equal(clock.timers, 0)
  const none = open()
  none.state.upstreams = []
  await none.settled()
  none.clock.advance(statusRowsLimits.lookMs)
  await none.settled()
  assert.deepEqual(await listStatusRows(none.stored), [])
})
