import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJwtSigner } from '../../../test/fakes/people/jwt-signer.ts'
import { mirrored } from '../../../test/fakes/mirrored-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { createAccounts } from './accounts.ts'
import type { Caller } from './caller.ts'
import { createDirectory } from './directory.ts'
import { createJwtCallers } from './jwt-callers.ts'
import type { KeySettings } from './key-settings.ts'
import { createJwtPublicKeys, parsePublicKey } from './jwt-public-keys.ts'

async function createRig(settings: Partial<KeySettings> = {}) {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock()
  const parts = { rows: mirrored(createSqliteRows(db, createInlineWriter(db))), clock }
  const accounts = createAccounts(parts)
  await accounts.createAccount('acme', { hasCard: true })
  const made = await accounts.createKey('acme', { settings })
  const directory = createDirectory({
    db,
    clock,
    log: silentLog,
    serverHosts: () => ['cairn.example'],
    mayQuery: (address) => address !== 'barred',
  })
  const signer = createJwtSigner('ES256', clock.now)
  const publicKeys = createJwtPublicKeys(parts)
  const enter = async (token: string, address = '', key = made.key): Promise<Caller | string> => {
    try {
      return await directory.authenticateJwt(key, token, address)
    } catch (thrown) {
      assert.ok(thrown instanceof Fault)
      const reason = (thrown.data as { reason?: string } | undefined)?.reason
      return reason === undefined ? thrown.code : `${thrown.code} ${reason}`
    }
  }
  const keyId = made.apiKey.id
  return { accounts, clock, directory, enter, key: made.key, keyId, publicKeys, signer }
}

test('a new public key works immediately, a removed one stops within a second', async () => {
  const { clock, enter, keyId, publicKeys, signer } = await createRig()
  assert.equal(await enter(await signer.sign('unknown')), 'bad_token kid')
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  const token = await signer.sign(id)
  assert.equal(await enter(token, 'barred'), 'bad_token kid')
  const caller = await enter(token)
  assert.ok(typeof caller === 'object')
  assert.equal(caller.keyId, keyId)
  assert.equal(caller.withSecret, false)
  assert.deepEqual(caller.jwt, { bringsLists: false })
  await publicKeys.remove(keyId, id)
  clock.advance(1000)
  assert.equal(await enter(token), 'bad_token kid')
})

test('a cached token is accepted synchronously until it expires, is revoked or its key changes', async () => {
  const { accounts, clock, directory, enter, key, keyId, publicKeys, signer } = await createRig()
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  const token = await signer.sign(id, { exp: clock.now() / 1000 + 100 })
  await enter(token)
  const known = directory.authenticateJwt(key, token)
  assert.ok(!(known instanceof Promise))
  await accounts.changeSettings(keyId, { unitsPerDay: 7 })
  clock.advance(1000)
  const changed = await enter(token)
  assert.ok(typeof changed === 'object')
  assert.equal(changed.settings.unitsPerDay, 7)
  clock.advance(128_999)
  assert.ok(!(directory.authenticateJwt(key, token) instanceof Promise))
  clock.advance(1)
  assert.equal(await enter(token), 'bad_token expired')
  const later = await signer.sign(id)
  await enter(later)
  await accounts.revokeKey(keyId)
  clock.advance(1000)
  assert.equal(await enter(later), 'bad_key')
})

test('a token opens the key it was signed for and no other, also not one with the same public key', async () => {
  const { accounts, enter, keyId, publicKeys, signer } = await createRig()
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  const other = await accounts.createKey('acme')
  await publicKeys.add(other.apiKey.id, { text: signer.publicKey })
  const token = await signer.sign(id)
  await enter(token)
  assert.equal(await enter(token, '', other.key), 'bad_token kid')
  assert.equal(await enter(token, '', '0'.repeat(32)), 'bad_key')
  assert.equal(await enter(token, '', 'x'), 'bad_key')
})

test('the audience is infura.io or a host name of this server, unless the key sets its own audience', async () => {
  const { accounts, clock, enter, keyId, publicKeys, signer } = await createRig()
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  const entersFor = async (aud: string) => typeof (await enter(await signer.sign(id, { aud })))
  assert.equal(await entersFor('infura.io'), 'object')
  assert.equal(await entersFor('cairn.example'), 'object')
  assert.equal(await entersFor('app.example'), 'string')
  await accounts.changeSettings(keyId, { jwtAudiences: ['app.example'] })
  clock.advance(1000)
  assert.equal(await entersFor('app.example'), 'object')
  assert.equal(await entersFor('infura.io'), 'string')
})

test("the lists of a token hold in place of all lists of the key; a token without any leaves the key's", async () => {
  const { enter, keyId, publicKeys, signer } = await createRig({
    allowMethods: ['eth_chainId'],
    allowIps: ['192.0.2.1'],
  })
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  const plain = await enter(await signer.sign(id))
  assert.ok(typeof plain === 'object')
  assert.deepEqual([...(plain.allowlists?.methods ?? [])], ['eth_chainId'])
  const own = await enter(await signer.sign(id, { methods: ['eth_call'] }))
  assert.ok(typeof own === 'object')
  assert.deepEqual(own.jwt, { bringsLists: true })
  assert.deepEqual([...(own.allowlists?.methods ?? [])], ['eth_call'])
  assert.equal(own.allowlists?.isIpAllowed, null)
})

test('memory has a bound: the token that was verified first is verified again', async () => {
  const clock = createManualClock()
  const signer = createJwtSigner('ES256', clock.now)
  const jwtKeys = new Map([['k', parsePublicKey(signer.publicKey)]])
  const { directory, key } = await createRig()
  const holder = { withoutSecret: directory.authenticate(key, null), jwtKeys }
  const callers = createJwtCallers({ clock, serverHosts: () => [], tokensMax: 2 })
  const tokens = await Promise.all([0, 1, 2].map((n) => signer.sign('k', { n })))
  for (const token of tokens) await callers.callerOf(holder, token)
  const isKnown = tokens.map((token) => !(callers.callerOf(holder, token) instanceof Promise))
  assert.deepEqual(isKnown, [false, true, true])
})
