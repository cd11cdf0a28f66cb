import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOperations } from '../../src/admin/index.ts'
import { auditSentence } from './audit-sentence.ts'

const record = {
  id: 1,
  time: 0,
  actor: 'p1',
  actorName: 'ops',
  accountId: 'a',
  action: 'changeKey',
  target: '0b5b0c6e-0000-4000-8000-000000000000',
  changes: {},
}

test('a changed key is named, links to its page, and has its new values in words', () => {
  const changes = {
    expires: Date.UTC(2026, 10, 24),
    settings: { unitsPerDay: 15_000_000, inspect: true, allowOrigins: ['app.example.org'] },
  }
  const names = new Map([[record.target, 'indexer']])
  assert.deepEqual(auditSentence({ ...record, changes }, names), {
    actor: 'ops',
    words: 'changed key',
    target: 'indexer',
    to: `/keys/${record.target}`,
    details: [
      ['Expires', '2026-11-24'],
      ['Daily limit', '15,000,000 units'],
      ['Recording', 'on'],
      ['Allowed sites', 'app.example.org'],
    ],
  })
})

test('an unknown target is shortened, and an invitation names its email address', () => {
  assert.equal(auditSentence(record, new Map()).target, '0b5b0c6e…')
  const invited = {
    ...record,
    action: 'invite',
    changes: { email: 'qa@example.org', role: 'member' },
  }
  const { words, target, details } = auditSentence(invited, new Map())
  assert.equal(`${words} ${target}`, 'invited qa@example.org')
  assert.deepEqual(details, [['Role', 'member']])
})

test('every operation that writes to the log has words of its own', () => {
  const silent =
    /^(test|probe|begin(Passkey|OpenId|Identity)|confirmWith|showSecond|getInvitation|tryKey)/
  for (const { id, method } of adminOperations) {
    if (method === 'GET' || silent.test(id)) continue
    const { words } = auditSentence({ ...record, action: id }, new Map())
    assert.match(words, /^[a-z]/, id)
  }
})
