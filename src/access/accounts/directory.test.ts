import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock, type ManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import { createAccounts, type Accounts } from './accounts.ts'
import { createDirectory, type LocalDirectory } from './directory.ts'

type Rig = {
  /** Accounts as another process uses them, with separate connections. */
  readonly accounts: Accounts
  readonly writing: Database
  readonly directory: LocalDirectory
  readonly clock: ManualClock
}

async function withRig(run: (rig: Rig) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-directory-'))
  const path = join(folder, 'cairn.db')
  const writing = openDatabase(path)
  migrate(writing)
  const clock = createManualClock()
  const rows = createSqliteRows(writing, createInlineWriter(writing))
  const accounts = createAccounts({ rows, clock })
  const reading = openDatabase(path, { readOnly: true })
  const directory = createDirectory({
    db: reading,
    clock,
    log: silentLog,
    mayQuery: (address) => address !== 'barred',
  })
  await accounts.createAccount('acme', { hasCard: true })
  try {
    await run({ accounts, writing, directory, clock })
  } finally {
    directory.stop()
    reading.close()
    writing.close()
    rmSync(folder, { recursive: true })
  }
}

const isFault = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code

test('a key that another process created works immediately', () =>
  withRig(async ({ accounts, directory }) => {
    const { apiKey, key, secret } = await accounts.createKey('acme')
    const caller = directory.authenticate(key, null)
    assert.equal(caller.keyId, apiKey.id)
    assert.equal(caller.accountName, 'acme')
    assert.equal(caller.hasCard, true)
    assert.equal(caller.withSecret, false)
    assert.equal(directory.authenticate(key, secret).withSecret, true)
  }))

test('unknown and malformed keys are bad_key, a wrong secret is bad_secret even if none is required', () =>
  withRig(async ({ accounts, directory }) => {
    const { key } = await accounts.createKey('acme')
    assert.throws(() => directory.authenticate('0'.repeat(32), null), isFault('bad_key'))
    assert.throws(() => directory.authenticate('0'.repeat(32), 'secret'), isFault('bad_key'))
    assert.throws(() => directory.authenticate('x', null), isFault('bad_key'))
    assert.throws(() => directory.authenticate(key, 'wrong'), isFault('bad_secret'))
    assert.throws(() => directory.authenticate(key, ''), isFault('bad_secret'))
  }))

test('a key sent before it was created works one second after its creation', () =>
  withRig(async ({ accounts, directory, clock }) => {
    const imported = { key: '9aa3d95b3bc440fa88ea12eaa4456161', secret: 'secret-of-others' }
    assert.throws(() => directory.authenticate(imported.key, null), isFault('bad_key'))
    await accounts.createKey('acme', { imported })
    clock.advance(1000)
    directory.authenticate(imported.key, imported.secret)
  }))

test('a revoked key is refused within a second, an expired one at its instant', () =>
  withRig(async ({ accounts, directory, clock }) => {
    const { apiKey, key } = await accounts.createKey('acme')
    directory.authenticate(key, null)
    await accounts.revokeKey(apiKey.id)
    clock.advance(1000)
    assert.throws(() => directory.authenticate(key, null), isFault('bad_key'))

    const { key: other } = await accounts.createKey('acme', { expires: clock.now() + 500 })
    clock.advance(499)
    directory.authenticate(other, null)
    clock.advance(1)
    assert.throws(() => directory.authenticate(other, null), isFault('bad_key'))
  }))

test('a card set by another process enables the IPFS API immediately; a cleared one disables it within a second', () =>
  withRig(async ({ accounts, directory, clock }) => {
    await accounts.createAccount('poor')
    const { key, secret } = await accounts.createKey('poor')
    assert.equal(directory.authenticate(key, secret).hasCard, false)
    await accounts.setCard('poor', true)
    assert.equal(directory.authenticate(key, secret).hasCard, true)
    await accounts.setCard('poor', false)
    clock.advance(1000)
    assert.equal(directory.authenticate(key, secret).hasCard, false)
  }))

test('changed settings hold within a second', () =>
  withRig(async ({ accounts, directory, clock }) => {
    const { apiKey, key } = await accounts.createKey('acme')
    assert.equal(directory.authenticate(key, null).settings.files, true)
    await accounts.changeSettings(apiKey.id, { files: false })
    clock.advance(1000)
    assert.equal(directory.authenticate(key, null).settings.files, false)
  }))

test('one unreadable row closes its own door only', () =>
  withRig(async ({ accounts, directory, writing }) => {
    const good = await accounts.createKey('acme')
    const bad = await accounts.createKey('acme')
    writing.run('UPDATE api_key SET settings = ? WHERE id = ?', ['not json', bad.apiKey.id])
    directory.refresh()
    directory.authenticate(good.key, null)
    assert.throws(() => directory.authenticate(bad.key, null), isFault('damaged'))
  }))

test('more unknown keys than are remembered are still refused', () =>
  withRig(async ({ accounts, directory }) => {
    for (let n = 0; n < 10_050; n++) {
      assert.throws(() => directory.authenticate(`unknown-${n}`, null), isFault('bad_key'))
    }
    const { key } = await accounts.createKey('acme')
    directory.authenticate(key, null)
  }))

test('an address over its limit is answered from memory; a reload of the accounts applies to it too', () =>
  withRig(async ({ accounts, directory, clock }) => {
    const old = await accounts.createKey('acme')
    directory.refresh()
    const { key } = await accounts.createKey('acme')
    assert.throws(() => directory.authenticate(key, null, 'barred'), isFault('bad_key'))
    directory.authenticate(old.key, old.secret, 'barred')
    clock.advance(1_000)
    directory.authenticate(key, null, 'barred')
  }))

test('it is known whether an account makes pins public', () =>
  withRig(async ({ accounts, directory, clock }) => {
    await accounts.createAccount('poor')
    await accounts.createKey('acme')
    await accounts.createKey('poor')
    clock.advance(1000)
    assert.equal(directory.hasPublicContent(false), false)
    await accounts.changeAccountSettings('poor', { provide: 'roots' })
    clock.advance(1000)
    assert.equal(directory.hasPublicContent(true), false)
    assert.equal(directory.hasPublicContent(false), true)
    await accounts.changeAccountSettings('acme', { provide: 'all' })
    clock.advance(1000)
    assert.equal(directory.hasPublicContent(true), true)
  }))
