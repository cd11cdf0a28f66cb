import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirrored } from '../../../test/fakes/mirrored-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { createAccounts } from './accounts.ts'
import { AccountsRefusal } from './account-rules.ts'
import { createDirectory } from './directory.ts'

const hourMs = 3_600_000

async function createRig() {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock()
  const parts = { rows: mirrored(createSqliteRows(db, createInlineWriter(db))), clock }
  const accounts = createAccounts(parts)
  await accounts.createAccount('acme', { hasCard: true })
  const made = await accounts.createKey('acme', { name: 'web', settings: { unitsPerSecond: 7 } })
  const directory = createDirectory({ db, clock, log: silentLog })
  return { ...made, accounts, clock, directory, id: made.apiKey.id }
}

const isFault = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code
const refused = (text: RegExp) => (error: unknown) =>
  error instanceof AccountsRefusal && text.test(error.message)

test('a rotated key and its successor both work until the overlap ends, then only the successor', async () => {
  const { accounts, clock, directory, id, key } = await createRig()
  const next = await accounts.rotateKey(id, hourMs)
  assert.equal(next.apiKey.rotatedFrom, id)
  assert.equal(next.apiKey.name, 'web')
  assert.equal(next.apiKey.settings.unitsPerSecond, 7)
  assert.equal(directory.authenticate(next.key, next.secret).keyId, next.apiKey.id)
  clock.advance(hourMs - 1)
  assert.equal(directory.authenticate(key, null).keyId, id)
  clock.advance(1)
  assert.throws(() => directory.authenticate(key, null), isFault('bad_key'))
  directory.authenticate(next.key, next.secret)
})

test('without an overlap the old key is revoked in the same write', async () => {
  const { accounts, clock, directory, id, key } = await createRig()
  const next = await accounts.rotateKey(id, 0)
  assert.notEqual((await accounts.getKey(id)).revoked, null)
  directory.authenticate(next.key, null)
  clock.advance(1000)
  assert.throws(() => directory.authenticate(key, null), isFault('bad_key'))
})

test('a rotation never prolongs a key: neither the old one nor, past its end, the new one', async () => {
  const { accounts, clock } = await createRig()
  const expires = clock.now() + hourMs
  const { apiKey } = await accounts.createKey('acme', { expires })
  const next = await accounts.rotateKey(apiKey.id, 24 * hourMs)
  assert.equal((await accounts.getKey(apiKey.id)).expires, expires)
  assert.equal(next.apiKey.expires, expires)
})

test('a key with a working successor, a revoked and an expired key are not rotated', async () => {
  const { accounts, clock, id } = await createRig()
  const next = await accounts.rotateKey(id, hourMs)
  await assert.rejects(accounts.rotateKey(id, hourMs), refused(/has a successor already/))
  await accounts.revokeKey(next.apiKey.id)
  const other = await accounts.rotateKey(id, hourMs)
  clock.advance(hourMs)
  await assert.rejects(accounts.rotateKey(id, hourMs), refused(/has expired/))
  await assert.rejects(accounts.rotateSecret(id, hourMs), refused(/has expired/))
  await accounts.revokeKey(other.apiKey.id)
  await assert.rejects(accounts.rotateKey(other.apiKey.id, 0), refused(/is revoked/))
  await assert.rejects(accounts.rotateKey('unknown', 0), refused(/no key has the id/))
})

test('both secrets are valid during the overlap, then only the new one', async () => {
  const { accounts, clock, directory, id, key, secret } = await createRig()
  const next = await accounts.rotateSecret(id, hourMs)
  assert.equal(next.apiKey.earlierSecretExpires, clock.now() + hourMs)
  directory.authenticate(key, next.secret)
  directory.authenticate(key, secret)
  clock.advance(hourMs)
  assert.throws(() => directory.authenticate(key, secret), isFault('bad_secret'))
  directory.authenticate(key, next.secret)
})

test('two secrets at most: a second rotation ends the secret before the last one', async () => {
  const { accounts, directory, id, key, secret } = await createRig()
  const second = await accounts.rotateSecret(id, hourMs)
  const third = await accounts.rotateSecret(id, hourMs)
  directory.refresh()
  assert.throws(() => directory.authenticate(key, secret), isFault('bad_secret'))
  directory.authenticate(key, second.secret)
  directory.authenticate(key, third.secret)
})

test('without an overlap the old secret expires immediately; revoking the key ends both', async () => {
  const { accounts, directory, id, key, secret } = await createRig()
  const next = await accounts.rotateSecret(id, 0)
  directory.refresh()
  assert.throws(() => directory.authenticate(key, secret), isFault('bad_secret'))
  await accounts.revokeKey(id)
  directory.refresh()
  assert.throws(() => directory.authenticate(key, next.secret), isFault('bad_key'))
})

test('keys of a database from before rotation go on working', async () => {
  const db = openDatabase(':memory:')
  migrate(db, migrations.slice(0, 1))
  db.exec(`INSERT INTO account VALUES ('a', 'acme', 0, 1);
    INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
      VALUES ('k', 'a', '', '', x'00', x'00', 0)`)
  migrate(db)
  const clock = createManualClock()
  const rows = mirrored(createSqliteRows(db, createInlineWriter(db)))
  const [apiKey] = await createAccounts({ rows, clock }).listKeys()
  assert.equal(apiKey?.rotatedFrom, null)
  assert.equal(apiKey?.earlierSecretExpires, null)
})
