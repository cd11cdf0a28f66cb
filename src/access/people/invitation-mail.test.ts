import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../base/log.ts'
import { createInvitationMail } from './invitation-mail.ts'

const invited = {
  role: 'owner',
  accountName: 'acme',
  email: 'ada@example.org',
  expires: Date.UTC(2026, 0, 8),
}
const link = 'https://cairn.example.org/dashboard/welcome#cairnt_live_x'

test('the mail names the account and the expiry, and contains the link on a line of its own', async () => {
  const sent: { to: string; subject: string; text: string }[] = []
  const mail = createInvitationMail({
    canSend: () => true,
    send: async (one) => void sent.push(one),
    log: silentLog,
  })
  assert.equal(await mail(invited, link), true)
  const [one] = sent
  assert.deepEqual([one?.to, one?.subject], ['ada@example.org', 'You are invited as owner of acme'])
  assert.match(one?.text ?? '', /until Thu, 08 Jan 2026 00:00:00 GMT:\n\nhttps:\S+_x\n\n/)
  assert.equal(await mail({ ...invited, email: null }, link), false)
  assert.equal(sent.length, 1)
})

test('without a mail server, or with one that refuses, the inviter gets the link to send it by hand', async () => {
  const lines: unknown[] = []
  const parts = {
    send: () => Promise.reject(new Error('550 no such mailbox')),
    log: (...line: unknown[]) => lines.push(line),
  }
  const without = createInvitationMail({ ...parts, canSend: () => false })
  assert.equal(await without(invited, link), false)
  assert.deepEqual(lines, [])
  assert.equal(await createInvitationMail({ ...parts, canSend: () => true })(invited, link), false)
  assert.equal(lines.length, 1)
  assert.doesNotMatch(JSON.stringify(lines), /cairnt_live/)
})
