import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createIdentityRig } from '../../../test/fakes/people/identity.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { silentLog } from '../../base/log.ts'
import { createEventDelivery, EventRefused, refusalsMax, queuedMax } from './deliver-events.ts'
import type { EventDocument } from './event-document.ts'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate()
}

function rig() {
  const { audit, clock, db } = createIdentityRig()
  const rows = createSqliteRows(db, createInlineWriter(db))
  const sent: EventDocument[] = []
  const receiver = { isDown: false, tries: 0, refuses: '' }
  const open = () =>
    createEventDelivery({
      target: 'webhook',
      async send(event) {
        receiver.tries++
        if (receiver.isDown) throw new Error('down')
        if (event.type === 'audit' && event.target === receiver.refuses) throw new EventRefused(400)
        sent.push(event)
      },
      rows,
      clock,
      log: silentLog,
    })
  const record = (target: string) =>
    audit.record({
      actor: { personId: 'p1', email: 'ada@example.org' },
      accountId: 'a1',
      action: 'createKey',
      target,
      changes: { name: 'web' },
    })
  const pass = async (ms: number) => {
    clock.advance(ms)
    await settle()
  }
  const targets = () => sent.map((event) => (event.type === 'audit' ? event.target : event.type))
  return { open, record, pass, sent, targets, receiver }
}

const refused: EventDocument = {
  id: 'e1',
  type: 'sign_in_refused',
  time: '2026-01-01T00:00:00.000Z',
  code: 'bad_sign_in',
}

test('entries from the first start on are sent once each, in order, as documents', async () => {
  const { open, record, pass, sent, targets } = rig()
  await record('before')
  const delivery = open()
  await settle()
  await record('k1')
  await record('k2')
  await pass(1000)
  await pass(5000)
  assert.deepEqual(targets(), ['k1', 'k2'])
  assert.deepEqual(sent[0], {
    id: 'audit-2',
    type: 'audit',
    time: '2026-01-01T00:00:00.000Z',
    actor: { id: 'p1', name: 'ada@example.org' },
    account: 'a1',
    action: 'createKey',
    target: 'k1',
    targetName: null,
    changes: { name: 'web' },
    previous: null,
  })
  await delivery.stop()
})

test('an entry is sent until the receiver has it, with longer pauses, and a restart continues behind the last one', async () => {
  const { open, record, pass, targets, receiver } = rig()
  const first = open()
  await settle()
  await record('k1')
  await pass(1000)
  receiver.isDown = true
  receiver.tries = 0
  await record('k2')
  await record('k3')
  await pass(1000)
  for (const seconds of [1, 2, 4, 8]) await pass(seconds * 1000)
  assert.equal(receiver.tries, 5)
  assert.equal(first.counts.failed, 5)
  await first.stop()
  // Commands write audit entries while no server runs.
  await record('k4')
  receiver.isDown = false
  const second = open()
  await settle()
  assert.deepEqual(targets(), ['k1', 'k2', 'k3', 'k4'])
  await second.stop()
})

test('an entry that the receiver refuses each time is dropped and counted, and the next ones are sent', async () => {
  const { open, record, pass, targets, receiver } = rig()
  const delivery = open()
  await settle()
  receiver.refuses = 'k2'
  for (const target of ['k1', 'k2', 'k3']) await record(target)
  await pass(1000)
  for (let tries = 1; tries < refusalsMax; tries++) {
    assert.deepEqual(targets(), ['k1'])
    await pass(300_000)
  }
  assert.deepEqual(targets(), ['k1', 'k3'])
  assert.deepEqual(delivery.counts, { dropped: 1, failed: refusalsMax })
  await delivery.stop()
})

test('refused sign-ins wait in limited number', async () => {
  const { open, pass, targets, receiver } = rig()
  const delivery = open()
  await settle()
  receiver.isDown = true
  for (let number = 0; number < queuedMax + 5; number++) delivery.add(refused)
  assert.equal(delivery.counts.dropped, 5)
  await pass(1000)
  receiver.isDown = false
  await pass(1000)
  assert.equal(targets().length, queuedMax)
  await delivery.stop()
})

test('a stop does not wait for a receiver that never answers', async () => {
  const clock = createManualClock()
  const delivery = createEventDelivery({
    target: 'syslog',
    send: () => new Promise(() => {}),
    rows: { find: async () => [], first: async () => null, write: async () => [] },
    clock,
    log: silentLog,
  })
  delivery.add(refused)
  clock.advance(1000)
  await settle()
  await delivery.stop()
})
