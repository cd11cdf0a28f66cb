import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rows } from '../../db/rows.ts'
import { dayMs } from '../usage/usage-row.ts'
import { createNetworkAlert } from './network-alert.ts'

function fixture(emails: readonly string[]) {
  const mails: { to: string; subject: string; text: string }[] = []
  const state = { now: 1_000_000, canSend: true, refuses: false }
  const logged: string[] = []
  const alert = createNetworkAlert({
    rows: { find: async () => emails.map((email) => ({ email })) } as unknown as Pick<Rows, 'find'>,
    mailer: {
      canSend: () => state.canSend,
      async send(mail) {
        if (state.refuses) throw new Error('refused')
        mails.push(mail)
      },
    },
    clock: { now: () => state.now },
    log: (_level, event) => logged.push(event),
  })
  return { alert, mails, state, logged }
}

test('each operator gets one mail a day while the network is down', async () => {
  const { alert, mails, state } = fixture(['a@example.com', 'b@example.com'])
  await alert('heap')
  await alert('heap')
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['a@example.com', 'b@example.com'],
  )
  assert.match(mails[0]?.text ?? '', /The last end: heap/)
  state.now += dayMs
  await alert('heap')
  assert.equal(mails.length, 4)
})

test('a mail that no server accepted is sent at the next end, and at most 20 operators get one', async () => {
  const { alert, mails, state, logged } = fixture(
    Array.from({ length: 30 }, (_, n) => `${n}@example.com`),
  )
  state.refuses = true
  await alert('heap')
  assert.deepEqual(new Set(logged), new Set(['alert_tried']))
  state.refuses = false
  await alert('heap')
  assert.equal(mails.length, 20)
})

test('without a mail server nothing is sent', async () => {
  const { alert, mails, state } = fixture(['a@example.com'])
  state.canSend = false
  await alert('heap')
  assert.deepEqual(mails, [])
})
