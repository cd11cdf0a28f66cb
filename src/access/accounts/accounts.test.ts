import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirrored } from '../../../test/fakes/mirrored-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import { createAccounts, type Accounts } from './accounts.ts'
import { AccountsRefusal, type RefusalReason } from './account-rules.ts'
import { defaultKeySettings } from './key-settings.ts'

function rig(): { accounts: Accounts; db: Database } {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock()
  const rows = mirrored(createSqliteRows(db, createInlineWriter(db)))
  return { accounts: createAccounts({ rows, clock }), db }
}

const refusedFor = (reason: RefusalReason, text: RegExp) => (error: unknown) =>
  error instanceof AccountsRefusal && error.reason === reason && text.test(error.message)

test('an account is created once, found by name, and listed', async () => {
  const { accounts } = rig()
  const made = await accounts.createAccount('acme', { hasCard: true })
  await accounts.createAccount('beta')
  assert.deepEqual(await accounts.findAccount('acme'), made)
  assert.deepEqual(
    (await accounts.listAccounts()).map(({ name, hasCard }) => [name, hasCard]),
    [
      ['acme', true],
      ['beta', false],
    ],
  )
  await assert.rejects(accounts.createAccount('acme'), refusedFor('name_taken', /"acme" exists/))
  await assert.rejects(accounts.createAccount('no spaces'), refusedFor('bad_name', /"no spaces"/))
  assert.equal(await accounts.findAccount('unknown'), null)
  await assert.rejects(accounts.getAccount('unknown'), refusedFor('no_account', /"unknown"/))
})

test('the card of an account is set and cleared', async () => {
  const { accounts } = rig()
  await accounts.createAccount('acme')
  await accounts.setCard('acme', true)
  assert.equal((await accounts.getAccount('acme')).hasCard, true)
  await accounts.setCard('acme', false)
  assert.equal((await accounts.getAccount('acme')).hasCard, false)
  await assert.rejects(accounts.setCard('unknown', true), refusedFor('no_account', /"unknown"/))
})

test('a key and its secret are shown once and stored as hashes only', async () => {
  const { accounts, db } = rig()
  await accounts.createAccount('acme')
  const { apiKey, key, secret } = await accounts.createKey('acme', { name: 'web' })
  assert.deepEqual(await accounts.getKey(apiKey.id), apiKey)
  assert.deepEqual(await accounts.listKeys('acme'), [apiKey])
  assert.equal(apiKey.prefix, key.slice(11, 19))
  assert.deepEqual(apiKey.settings, defaultKeySettings)
  const stored = JSON.stringify(db.all('SELECT * FROM api_key'))
  assert.equal(stored.includes(key), false)
  assert.equal(stored.includes(secret), false)
})

test('a key of another service is imported with its secret, once', async () => {
  const { accounts } = rig()
  await accounts.createAccount('acme')
  const imported = { key: '9aa3d95b3bc440fa88ea12eaa4456161', secret: 'secret-of-others' }
  const made = await accounts.createKey('acme', { imported })
  assert.equal(made.key, imported.key)
  await assert.rejects(accounts.createKey('acme', { imported }), refusedFor('key_taken', /exists/))
  const short = { ...imported, key: 'short' }
  await assert.rejects(accounts.createKey('acme', { imported: short }), refusedFor('bad_key', /8/))
  const noSecret = { key: '0'.repeat(32), secret: '' }
  await assert.rejects(
    accounts.createKey('acme', { imported: noSecret }),
    (error) => refusedFor('bad_key', /secret/)(error) && !String(error).includes('0000'),
  )
  await assert.rejects(accounts.createKey('unknown'), refusedFor('no_account', /"unknown"/))
})

test('a key is revoked once and stays in the list', async () => {
  const { accounts } = rig()
  await accounts.createAccount('acme')
  const { apiKey, key } = await accounts.createKey('acme')
  await accounts.revokeKey(apiKey.id)
  assert.notEqual((await accounts.listKeys())[0]?.revoked, null)
  await assert.rejects(accounts.revokeKey(apiKey.id), refusedFor('no_key', /revoked already/))
  await assert.rejects(accounts.revokeKey('none'), refusedFor('no_key', /"none"/))
  const itself = new RegExp(`^that is the key itself, its id is ${apiKey.id}$`)
  await assert.rejects(accounts.revokeKey(key), refusedFor('no_key', itself))
})

test('settings change one by one, and an invalid value changes no setting', async () => {
  const { accounts } = rig()
  await accounts.createAccount('acme')
  const { apiKey } = await accounts.createKey('acme', { settings: { unitsPerDay: 5 } })
  await accounts.changeSettings(apiKey.id, { networks: ['dev'], unitsPerSecond: 0 })
  const expected = { ...defaultKeySettings, unitsPerDay: 5, networks: ['dev'], unitsPerSecond: 0 }
  assert.deepEqual((await accounts.getKey(apiKey.id)).settings, expected)
  for (const bad of [{ unitsPerDay: -1 }, { unitsPerDay: 1.5 }, { files: 'yes' }, { other: 1 }]) {
    const change = accounts.changeSettings(apiKey.id, bad as object)
    await assert.rejects(change, refusedFor('bad_setting', new RegExp(Object.keys(bad).join())))
  }
  assert.deepEqual((await accounts.getKey(apiKey.id)).settings, expected)
})

test('settings of a key that an earlier version wrote, with fewer of them, can be changed', async () => {
  const { accounts, db } = rig()
  await accounts.createAccount('acme')
  const { apiKey } = await accounts.createKey('acme')
  db.run('UPDATE api_key SET settings = ?', ['{"files":false}'])
  await accounts.changeSettings(apiKey.id, { unitsPerDay: 5 })
  const expected = { ...defaultKeySettings, files: false, unitsPerDay: 5 }
  assert.deepEqual((await accounts.getKey(apiKey.id)).settings, expected)
})
