import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { silentLog } from '../../../base/log.ts'
import { createInlineWriter } from '../../../db/inline-writer.ts'
import { migrate } from '../../../db/migrate.ts'
import { findAll } from '../../../db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../../db/sqlite.ts'
import { listInvalidReplies } from '../../../tables/invalid-replies.ts'
import { createInvalidReplyLog, type InvalidReplyLog } from './invalid-reply-log.ts'
import type { InvalidReplyEvidence } from './race-attempts.ts'

const evidence: InvalidReplyEvidence = {
  method: 'eth_getProof',
  params: ['0x01', []],
  response: { value: '0x02', url: 'http://h.example/secretkey' },
  expected: '0xaa',
  computed: '0xbb',
  blockHash: new Uint8Array(32).fill(7),
}

const redact = (text: string): string => text.replaceAll('secretkey', '<redacted>')

/** More than the log stores. */
const listMax = 2_000

const listed = (db: Database, limit = listMax) => findAll(db, listInvalidReplies(limit))

function open(): {
  db: Database
  ledger: InvalidReplyLog
  clock: ReturnType<typeof createManualClock>
} {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock(5)
  const writer = createInlineWriter(db)
  return {
    db,
    clock,
    ledger: createInvalidReplyLog({ network: 'n', writer, clock, log: silentLog }),
  }
}

test('an invalid reply is a row with its evidence, without secrets', async () => {
  const { db, ledger } = open()
  ledger.add('a', evidence, redact)
  await ledger.idle()
  assert.deepEqual(listed(db), [
    {
      id: 1,
      time: 5,
      network: 'n',
      upstream: 'a',
      method: 'eth_getProof',
      params: '["0x01",[]]',
      response: '{"value":"0x02","url":"http://h.example/<redacted>"}',
      expected: '0xaa',
      computed: '0xbb',
      block: `0x${'07'.repeat(32)}`,
    },
  ])
  db.close()
})

test('the newest thousand rows are stored, newest first', async () => {
  const { db, ledger, clock } = open()
  for (let i = 0; i < 1010; i++) {
    ledger.add(`${i}`, evidence, redact)
    await ledger.idle()
    clock.advance(1000)
  }
  const rows = listed(db)
  assert.equal(rows.length, 1000)
  assert.equal(rows[0]?.upstream, '1009')
  assert.equal(rows.at(-1)?.upstream, '10')
  assert.equal(listed(db, 3).length, 3)
  db.close()
})

test('a flood of invalid replies fills neither memory nor disk', async () => {
  const { db, ledger, clock } = open()
  for (let i = 0; i < 100; i++) ledger.add('a', evidence, redact)
  await ledger.idle()
  assert.equal(listed(db).length, 64)
  for (let i = 0; i < 700; i++) {
    ledger.add('a', evidence, redact)
    await ledger.idle()
  }
  assert.ok(listed(db).length <= 600)
  const before = listed(db).length
  clock.advance(60_000)
  ledger.add('a', evidence, redact)
  await ledger.idle()
  assert.equal(listed(db).length, before + 1)
  db.close()
})

test('a long response is cut, and one that cannot be serialized does not crash', async () => {
  const { db, ledger } = open()
  ledger.add('a', { ...evidence, response: 'ab'.repeat(400_000) }, redact)
  let deep: unknown = null
  for (let i = 0; i < 100_000; i++) deep = [deep]
  ledger.add('b', { ...evidence, response: deep, blockHash: null }, redact)
  await ledger.idle()
  const [second, first] = listed(db)
  assert.equal(Buffer.byteLength(first?.response ?? ''), 256 * 1024)
  assert.match(second?.response ?? '', /not spelled/)
  assert.equal(second?.block, null)
  db.close()
})

test('a failed write is logged and dropped', async () => {
  const events: string[] = []
  const ledger = createInvalidReplyLog({
    network: 'n',
    writer: {
      write: async () => {
        throw new Error('disk')
      },
      close: async () => {},
    },
    clock: createManualClock(),
    log: (_level, event) => events.push(event),
  })
  ledger.add('a', evidence, redact)
  await ledger.idle()
  assert.deepEqual(events, ['upstream_lied', 'lie_not_written'])
})
