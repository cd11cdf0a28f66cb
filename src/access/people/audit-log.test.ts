import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentityRig, dayMs } from '../../../test/fakes/people/identity.ts'
import type { AuditEntry } from './audit-log.ts'

const entry: AuditEntry = {
  actor: { personId: 'p1', email: 'ada@example.org' },
  accountId: 'a1',
  action: 'createKey',
  target: 'k1',
  changes: { name: 'web' },
}

test('changes are listed newest first, of one account or of all, page by page', async () => {
  const { audit, clock } = createIdentityRig()
  for (const [n, accountId] of ['a1', 'a2', 'a1', null].entries()) {
    await audit.record({ ...entry, accountId, target: `k${n}` })
    clock.advance(1000)
  }
  const all = await audit.list({ limit: 10 })
  assert.deepEqual(
    all.map(({ target }) => target),
    ['k3', 'k2', 'k1', 'k0'],
  )
  assert.deepEqual(
    (await audit.list({ accountId: 'a1', limit: 10 })).map(({ target }) => target),
    ['k2', 'k0'],
  )
  const [newest, next] = await audit.list({ limit: 2 })
  assert.equal(newest?.time, clock.now() - 1000)
  const rest = await audit.list({ limit: 2, before: next?.id ?? 0 })
  assert.deepEqual(
    rest.map(({ target }) => target),
    ['k1', 'k0'],
  )
})

test('a row names the person and their email at that time', async () => {
  const { audit } = createIdentityRig()
  await audit.record(entry)
  await audit.record({ ...entry, actor: 'local' })
  const [local, person] = await audit.list({ limit: 2 })
  assert.deepEqual([local?.actor, local?.actorName], ['local', 'local'])
  assert.deepEqual([person?.actor, person?.actorName], ['p1', 'ada@example.org'])
  assert.deepEqual(person?.changes, { name: 'web' })
})

test('rows are stored for the configured time, and a huge one is cut', async () => {
  const { audit, clock, settings } = createIdentityRig()
  settings.auditKeepMs = 10 * dayMs
  await audit.record({ ...entry, changes: { list: 'x'.repeat(10_000) } })
  assert.deepEqual((await audit.list({ limit: 1 }))[0]?.changes, { cut: true })
  clock.advance(10 * dayMs)
  await audit.record(entry)
  await audit.sweep()
  assert.equal((await audit.list({ limit: 10 })).length, 2)
  clock.advance(1)
  await audit.sweep()
  assert.equal((await audit.list({ limit: 10 })).length, 1)
})

test('a text is found in names, operations and values, in any case, and contains no wildcards', async () => {
  const { audit } = createIdentityRig()
  await audit.record({ ...entry, targetName: '50%', changes: { name: 'Crème' } })
  await audit.record({ ...entry, actor: 'local', target: 'a_b', previous: { name: 'old' } })
  const find = async (...texts: string[]) =>
    (await audit.list({ texts, limit: 10 })).map(({ target }) => target)
  assert.deepEqual(await find('CREATEKEY'), ['a_b', 'k1'])
  assert.deepEqual(await find('Crème'), ['k1'])
  assert.deepEqual(await find('%'), ['k1'])
  assert.deepEqual(await find('_'), ['a_b'])
  assert.deepEqual(await find('none', 'OLD'), ['a_b'])
  assert.deepEqual(await find('none'), [])
})
