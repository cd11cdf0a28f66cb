import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOperations } from '../../src/admin/index.ts'
import { auditGroups, auditSearch, auditSentence } from './audit-sentence.ts'

const record = {
  id: 1,
  time: 0,
  actor: 'p1',
  actorName: 'ops',
  accountId: 'a',
  action: 'changeKey',
  target: '0b5b0c6e-0000-4000-8000-000000000000',
  targetName: null,
  changes: {},
  previous: null,
}

test('a changed key is named, links to its page, and has its old and new values in words', () => {
  const previous = { expires: null, unitsPerDay: 10_000_000, inspect: false, allowOrigins: [] }
  const changes = {
    expires: Date.UTC(2026, 10, 24),
    unitsPerDay: 15_000_000,
    inspect: true,
    allowOrigins: ['app.example.org'],
  }
  const names = new Map([[record.target, 'indexer']])
  assert.deepEqual(auditSentence({ ...record, changes, previous }, names), {
    actor: 'ops',
    verb: 'changed key',
    target: 'indexer',
    to: `/keys/${record.target}`,
    details: [
      { name: 'Expires', from: 'never', to: '24 Nov 2026' },
      { name: 'Daily limit', from: '10,000,000 units', to: '15,000,000 units' },
      { name: 'Recording', from: 'off', to: 'on' },
      { name: 'Allowed sites', from: 'all', to: 'app.example.org' },
    ],
  })
})

test('a record of an earlier version has new values alone', () => {
  const changes = { settings: { unitsPerDay: 5 } }
  const { verb: words, details } = auditSentence({ ...record, changes }, new Map())
  assert.equal(words, 'changed key')
  assert.deepEqual(details, [{ name: 'Daily limit', from: null, to: '5 units' }])
})

test('a change of limits, of allowlists or of recording alone is named as such', () => {
  const wordsOf = (changes: Readonly<Record<string, unknown>>): string =>
    auditSentence({ ...record, changes, previous: {} }, new Map()).verb
  assert.equal(wordsOf({ unitsPerDay: 1, filesUploads: 2 }), 'changed the limits of key')
  assert.equal(wordsOf({ allowIps: [] }), 'changed the allowlists of key')
  assert.equal(wordsOf({ inspect: true }), 'turned on request recording for key')
})

test('a changed network names the upstreams that were added, changed or removed, and no other', () => {
  const stays = { upstream: 'a', url: 'https://a.example', trusted: true, headers: ['x-token'] }
  const previous = { upstreams: [stays, { upstream: 'b', url: 'https://b.example' }] }
  const changes = {
    upstreams: [
      stays,
      { upstream: 'b', url: 'https://b.example', trusted: true },
      { upstream: 'c', url: 'https://c.example' },
    ],
  }
  const sentence = auditSentence(
    { ...record, action: 'changeNetwork', target: 'mainnet', changes, previous },
    new Map(),
  )
  assert.equal(
    `${sentence.verb} ${sentence.target} ${sentence.to}`,
    'changed network mainnet /networks',
  )
  assert.deepEqual(sentence.details, [
    { name: 'Upstream b', from: 'https://b.example', to: 'https://b.example, trusted' },
    { name: 'Upstream c', from: null, to: 'https://c.example' },
  ])
})

test('a removed member keeps the name and the role of then', () => {
  const removed = {
    ...record,
    action: 'removeMember',
    targetName: 'Ada',
    previous: { role: 'member' },
  }
  const { verb: words, target, details } = auditSentence(removed, new Map())
  assert.equal(`${words} ${target}`, 'removed member Ada')
  assert.deepEqual(details, [{ name: 'Role', from: 'member', to: null }])
})

test('a change of a client that is not signed in, or of a command, names it as such', () => {
  const actorOf = (actor: string): string =>
    auditSentence({ ...record, actor, actorName: actor }, new Map()).actor
  assert.deepEqual(['anyone', 'local'].map(actorOf), ['Signed-out client', 'Command line'])
})

test('an unknown target is shortened, and an invitation names its email address', () => {
  assert.equal(auditSentence(record, new Map()).target, '0b5b0c6e…')
  const invited = {
    ...record,
    action: 'invite',
    changes: { email: 'qa@example.org', role: 'member' },
  }
  const { verb: words, target, details } = auditSentence(invited, new Map())
  assert.equal(`${words} ${target}`, 'invited qa@example.org')
  assert.deepEqual(details, [{ name: 'Role', from: null, to: 'member' }])
})

test('every operation that writes to the log has words of its own and one filter', () => {
  const silent =
    /^(test|probe|begin(Passkey|OpenId|Identity)|confirmWith|getInvitation|tryKey|refreshCard|replayRequest)/
  const grouped = auditGroups.flatMap(({ actions }) => actions.split(','))
  assert.deepEqual(grouped.toSorted(), [...new Set(grouped)].toSorted())
  for (const { id, method } of adminOperations) {
    if (method === 'GET' || silent.test(id)) continue
    assert.ok(grouped.includes(id), id)
  }
})

test('a search is for the words of the page, and for what records hold in their place', () => {
  const names = new Map([
    ['p1', 'Ada'],
    ['k1', 'indexer'],
  ])
  const linesOf = (typed: string) => auditSearch(typed, names).split('\n')
  assert.deepEqual(linesOf(' ADA '), ['ADA', 'p1'])
  assert.deepEqual(linesOf('daily limit'), ['daily limit', 'unitsPerDay'])
  assert.deepEqual(linesOf('15,000,000'), ['15,000,000', '15000000'])
  assert.deepEqual(linesOf('who can read'), ['who can read', 'setProvide'])
  assert.equal(linesOf('e').length, 20)
})
