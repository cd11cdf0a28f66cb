import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { pause, systemClock } from '../../base/clock.ts'
import { hasCode } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import { createRemoteAccounts } from './account-source.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import type { Caller } from './caller.ts'
import { createDirectoryOf, type Directory } from './directory.ts'

const postgres = usePostgres()
const { skip } = postgres

type Rig = {
  /** Accounts on another machine. */
  readonly accounts: Accounts
  readonly directory: Directory
  cut(): void
  pass(): void
}

async function rig(t: TestContext, staleMs = 60_000, isNotified = false): Promise<Rig> {
  const database = await postgres.createDatabase()
  const elsewhere = await postgres.openNode(t, database)
  const here = await postgres.openNode(t, database)
  const clock = systemClock
  const accounts = createAccounts({ rows: elsewhere.rows, clock })
  await accounts.createAccount('acme', { hasCard: true })
  const source = createRemoteAccounts({
    rows: here.rows,
    clock,
    staleMs: () => staleMs,
    ...(isNotified
      ? { onChange: (changed) => here.revisions.onRevision('accounts', changed) }
      : {}),
  })
  const directory = createDirectoryOf({ source, clock, log: silentLog })
  t.after(() => directory.stop())
  await directory.refresh()
  return { accounts, directory, cut: here.cutter.cut, pass: here.cutter.pass }
}

async function isRefused(directory: Directory, key: string): Promise<boolean> {
  try {
    await directory.authenticate(key, null)
    return false
  } catch (error) {
    return hasCode(error, 'bad_key')
  }
}

test(
  'a key that another machine made is found by its row, and then decided without a wait',
  { skip },
  async (t) => {
    const { accounts, directory } = await rig(t)
    const { key, secret, apiKey } = await accounts.createKey('acme')
    const first = directory.authenticate(key, secret)
    assert.ok(first instanceof Promise)
    assert.equal((await first).keyId, apiKey.id)
    const second = directory.authenticate(key, secret) as Caller
    assert.equal(second.withSecret, true)
    assert.equal(directory.settingsOf(apiKey.id)?.files, true)
  },
)

test(
  'an unknown key is refused once the database has said so, and then for a second without a read',
  { skip },
  async (t) => {
    const { accounts, directory, cut } = await rig(t)
    const { key } = await accounts.createKey('acme')
    const wrong = `${key.slice(0, -4)}${key.endsWith('0000') ? '1111' : '0000'}`
    assert.ok(await isRefused(directory, wrong))
    cut()
    assert.throws(
      () => directory.authenticate(wrong, null),
      (error) => hasCode(error, 'bad_key'),
    )
  },
)

for (const isNotified of [true, false]) {
  const how = isNotified ? 'with' : 'without'
  test(
    `a key that another machine revoked is refused within 2 s, ${how} notifications`,
    { skip },
    async (t) => {
      const { accounts, directory } = await rig(t, 60_000, isNotified)
      const { key, apiKey } = await accounts.createKey('acme')
      await directory.authenticate(key, null)
      await directory.refresh()
      await accounts.revokeKey(apiKey.id)
      const revokedAt = systemClock.monotonic()
      while (!(await isRefused(directory, key))) {
        assert.ok(systemClock.monotonic() - revokedAt < 2000, 'still accepted after 2 s')
        await pause(10)
      }
    },
  )
}

test(
  'while the database is away known keys work for a time, and unknown keys are not refused but answered with 503',
  { skip },
  async (t) => {
    const staleMs = 3000
    const { accounts, directory, cut, pass } = await rig(t, staleMs)
    const known = await accounts.createKey('acme')
    await directory.authenticate(known.key, null)
    await directory.refresh()
    cut()
    const cutAt = systemClock.monotonic()
    const unknown = await accounts.createKey('acme')
    assert.equal((directory.authenticate(known.key, known.secret) as Caller).keyId, known.apiKey.id)
    await assert.rejects(
      async () => await directory.authenticate(unknown.key, null),
      (error) => hasCode(error, 'overloaded'),
    )
    while (systemClock.monotonic() - cutAt <= staleMs) await pause(20)
    assert.throws(
      () => directory.authenticate(known.key, null),
      (error) => hasCode(error, 'overloaded'),
    )
    pass()
    while (true) {
      try {
        assert.equal((await directory.authenticate(known.key, null)).keyId, known.apiKey.id)
        break
      } catch (error) {
        assert.ok(hasCode(error, 'overloaded'))
        assert.ok(systemClock.monotonic() - cutAt < 30_000)
        await pause(50)
      }
    }
  },
)

test('a secret that another machine replaced works at once', { skip }, async (t) => {
  const { accounts, directory } = await rig(t)
  const { key, secret, apiKey } = await accounts.createKey('acme')
  await directory.authenticate(key, secret)
  const { secret: fresh } = await accounts.rotateSecret(apiKey.id, 0)
  assert.equal((await directory.authenticate(key, fresh)).withSecret, true)
})
