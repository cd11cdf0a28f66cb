// Accounts, API keys and JWT public keys through the admin operations: the fields that each role receives.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createAccounts } from '../../src/access/accounts/accounts.ts'
import { defaultKeySettings } from '../../src/access/accounts/key-settings.ts'
import { Fault } from '../../src/base/fault.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { addPublicKey } from '../../src/admin/resources/keys/add-public-key.ts'
import { changeAccount } from '../../src/admin/resources/accounts/change-account.ts'
import { changeKey } from '../../src/admin/resources/keys/change-key.ts'
import { createAccount } from '../../src/admin/resources/accounts/create-account.ts'
import { createKey } from '../../src/admin/resources/keys/create-key.ts'
import { findKey } from '../../src/admin/resources/keys/find-key.ts'
import { getAccount } from '../../src/admin/resources/accounts/get-account.ts'
import { getKey } from '../../src/admin/resources/keys/get-key.ts'
import { listAllKeys } from '../../src/admin/resources/keys/list-all-keys.ts'
import { listKeys } from '../../src/admin/resources/keys/list-keys.ts'
import { listPlans } from '../../src/admin/resources/keys/list-plans.ts'
import { listPublicKeys } from '../../src/admin/resources/keys/list-public-keys.ts'
import { removePublicKey } from '../../src/admin/resources/keys/remove-public-key.ts'
import { revokeKey } from '../../src/admin/resources/keys/revoke-key.ts'
import { rotateKey } from '../../src/admin/resources/keys/rotate-key.ts'
import { rotateSecret } from '../../src/admin/resources/keys/rotate-secret.ts'
import { tryKey } from '../../src/admin/resources/keys/try-key.ts'
import { type AdminDesk, openDesk, person } from '../fakes/people/admin-desk.ts'
import { createManualClock } from '../fakes/manual-clock.ts'

async function twoAccounts(desk: AdminDesk) {
  const own = await desk.accounts.createAccount('acme')
  const foreign = await desk.accounts.createAccount('other')
  return { own: own.id, foreign: foreign.id }
}

/** The input member that a refusal names. */
async function fieldOf(refused: Promise<unknown>): Promise<unknown> {
  const thrown = await refused.then(() => null, Fault.from)
  assert.equal(thrown?.code, 'bad_input')
  return typeof thrown.data === 'object' ? thrown.data['field'] : undefined
}

/** Every string in the value, at any depth. */
const shown = (value: unknown): string => JSON.stringify(value)

test('a key is created with name, expiry, plan and settings, and only this reply contains its secret', async () => {
  const desk = openDesk()
  const { own } = await twoAccounts(desk)
  const expires = desk.clock.now() + 1000
  const made = await desk.run(createKey, {
    account: own,
    name: 'web',
    expires,
    plan: 'free',
    settings: { unitsPerSecond: 7, allowOrigins: ['https://app.example'] },
  })
  assert.match(made.apiKey, /^cairn_live_/)
  assert.match(made.apiKeySecret, /^cairns_live_/)
  assert.partialDeepStrictEqual(made.key, { name: 'web', expires, accountName: 'acme' })
  const settings = {
    ...defaultKeySettings,
    unitsPerSecond: 7,
    unitsPerDay: 3_000_000,
    filesReadsPerSecond: 1500,
    filesWritesPerSecond: 150,
    allowOrigins: ['https://app.example'],
  }
  assert.deepEqual(made.key.settings, settings)
  const params = { account: own, key: made.key.id }
  const later = [
    await desk.run(listKeys, { account: own }),
    await desk.run(getKey, params),
    await desk.run(listAllKeys, {}),
    await desk.run(findKey, { key: made.key.id }),
    await desk.run(changeKey, { ...params, name: 'page' }),
    await desk.run(revokeKey, params),
  ]
  for (const answer of later) {
    assert.ok(shown(answer).includes(made.key.id))
    assert.ok(!shown(answer).includes(made.apiKey) && !shown(answer).includes(made.apiKeySecret))
    assert.ok(!/hash/i.test(shown(answer)))
  }
})

test('a key of another service is imported once, and the refusal of a malformed one does not repeat it', async () => {
  const desk = openDesk()
  const { own } = await twoAccounts(desk)
  const imported = { apiKey: '9aa3d95b3bc440fa88ea12eaa4456161', apiKeySecret: 'secret-of-others' }
  assert.equal((await desk.run(createKey, { account: own, imported })).apiKey, imported.apiKey)
  assert.match(await desk.refusal(createKey, { account: own, imported }), /^conflict: /)
  const bad = { apiKey: 'cairn_live_wrong', apiKeySecret: 'x'.repeat(20) }
  const refused = await desk.refusal(createKey, { account: own, imported: bad })
  assert.match(refused, /^bad_input: a key has 8 to 128/)
  assert.ok(!refused.includes('wrong'))
})

test('omitted members keep their values, and an invalid change changes nothing', async () => {
  const desk = openDesk()
  const { own } = await twoAccounts(desk)
  const { key } = await desk.run(createKey, { account: own, name: 'web', plan: 'team' })
  const params = { account: own, key: key.id }
  const end = desk.clock.now() + 5
  const named = await desk.run(changeKey, { ...params, name: 'page', expires: end })
  assert.deepEqual(named.key, { ...key, name: 'page', expires: end })
  const back = await desk.run(changeKey, {
    ...params,
    expires: null,
    plan: 'none',
    settings: { networks: ['dev'] },
  })
  assert.deepEqual(back.key.settings, { ...defaultKeySettings, networks: ['dev'] })
  assert.equal(back.key.expires, null)
  const past = { account: own, expires: desk.clock.now() }
  assert.match(await desk.refusal(createKey, past), /^bad_input: expires: this time is past/)
  const wrong: readonly (readonly [members: object, refusal: RegExp])[] = [
    [{ settings: { unitsPerSecond: -1 } }, /^bad_input: settings\.unitsPerSecond/],
    [{ settings: { allowIps: ['192.0.2.0/33'] } }, /^bad_input: allowIps: /],
    [{ settings: { accountId: 'x' } }, /^bad_input: settings: /],
    [{ settings: { secretHash: 'x' } }, /^bad_input/],
    [{ accountId: 'x' }, /^bad_input/],
    [{ prefix: 'x' }, /^bad_input/],
    [{ revoked: null }, /^bad_input/],
    [{ name: 'x'.repeat(65) }, /^bad_input: name/],
    [{ plan: 'gold' }, /^bad_input: plan/],
    [{ expires: 1.5 }, /^bad_input: expires/],
    // The first value beyond the range of dates.
    [{ expires: 8_640_000_000_000_001 }, /^bad_input: expires/],
    // Characters that a terminal, a log or a reader could misinterpret.
    ...['\u001b[2J', 'two\nlines', '\u202Egnp.exe'].map(
      (name) => [{ name }, /^bad_input: a key name has .* on one line/] as const,
    ),
    ...['a\0b', '\ud800'].map(
      (name) => [{ name }, /^bad_input: name: contains a NUL character/] as const,
    ),
  ]
  for (const [members, refusal] of wrong) {
    assert.match(await desk.refusal(changeKey, { ...params, ...members }), refusal)
  }
  assert.deepEqual((await desk.run(getKey, params)).key, back.key)
})

test('a rotation returns a new key or secret and the expiry of the old one', async () => {
  const desk = openDesk()
  const { own } = await twoAccounts(desk)
  const { key, apiKeySecret } = await desk.run(createKey, { account: own, name: 'web' })
  const params = { account: own, key: key.id }
  const secret = await desk.run(rotateSecret, { ...params, overlapMs: 1000 })
  assert.notEqual(secret.apiKeySecret, apiKeySecret)
  assert.equal(secret.key.earlierSecretExpires, desk.clock.now() + 1000)
  const next = await desk.run(rotateKey, params)
  assert.equal(next.key.rotatedFrom, key.id)
  assert.equal(next.replaced.id, key.id)
  assert.equal(next.replaced.expires, desk.clock.now() + 86_400_000)
  assert.match(await desk.refusal(rotateKey, params), /has a successor already/)
  const now = await desk.run(rotateKey, { account: own, key: next.key.id, overlapMs: 0 })
  assert.equal(now.replaced.revoked, desk.clock.now())
})

test('public keys are added, listed and removed', async () => {
  const desk = openDesk()
  const { own, foreign } = await twoAccounts(desk)
  const { key } = await desk.run(createKey, { account: own })
  const params = { account: own, key: key.id }
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const added = await desk.run(addPublicKey, { ...params, name: 'signer', publicKey: pem })
  assert.partialDeepStrictEqual(added.publicKey, { name: 'signer', algorithm: 'ES256' })
  assert.deepEqual((await desk.run(getKey, params)).publicKeys, [added.publicKey])
  assert.deepEqual((await desk.run(listPublicKeys, params)).publicKeys, [added.publicKey])
  const foreignParams = { ...params, account: foreign, publicKey: added.publicKey.id }
  assert.match(await desk.refusal(removePublicKey, foreignParams), /^absent/)
  const ownParams = { ...params, publicKey: added.publicKey.id }
  assert.deepEqual(await desk.run(removePublicKey, ownParams), { publicKeys: [] })
  assert.match(await desk.refusal(removePublicKey, ownParams), /^absent/)
  const secret = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const refused = await desk.refusal(addPublicKey, { ...params, publicKey: secret })
  assert.match(refused, /^bad_input: the key is a private key/)
})

test('members read and owners change keys; keys of other accounts are absent for both', async () => {
  const desk = openDesk()
  const { own, foreign } = await twoAccounts(desk)
  const mine = await desk.run(createKey, { account: own })
  const theirs = await desk.run(createKey, { account: foreign })
  const owner = person({ [own]: 'owner' })
  const member = person({ [own]: 'member' })
  const params = { account: own, key: mine.key.id }
  const reading = [
    [listKeys, { account: own }],
    [getKey, params],
    [listPublicKeys, params],
    [findKey, { key: mine.key.id }],
    [getAccount, { account: own }],
  ] as const
  const changing = [
    [changeKey, { ...params, name: 'x' }],
    [rotateSecret, params],
    [createKey, { account: own }],
    [revokeKey, params],
  ] as const
  for (const [operation, sent] of reading) {
    assert.equal(await desk.refusal(operation as typeof listKeys, sent, member), 'done')
  }
  for (const [operation, sent] of changing) {
    const run = (actor: typeof owner | null) =>
      desk.refusal(operation as unknown as typeof listKeys, sent, actor)
    assert.match(await run(null), /^signed_out/)
    assert.match(await run(member), /^not_allowed/)
    assert.match(await run(person({ [foreign]: 'owner' })), /^absent/)
    assert.equal(await run(owner), 'done')
  }
  // A key ID of another account, with the own account in the path, and by itself.
  const across = { account: own, key: theirs.key.id }
  assert.match(await desk.refusal(getKey, across, owner), /^absent/)
  assert.match(await desk.refusal(revokeKey, across, owner), /^absent/)
  assert.match(await desk.refusal(revokeKey, across, person({}, true)), /^absent/)
  assert.equal(
    await desk.refusal(findKey, { key: theirs.key.id }, owner),
    'absent: no key has this id',
  )
  assert.equal(
    await desk.refusal(findKey, { key: theirs.apiKey }, owner),
    'absent: no key has this id',
  )
  const listed = (await desk.run(listAllKeys, {}, owner)).keys
  assert.ok(listed.every(({ accountId }) => accountId === own))
  assert.equal((await desk.run(listAllKeys, {}, person({}, true))).keys.length, 3)
  assert.equal((await desk.run(getKey, { account: foreign, key: theirs.key.id })).key.revoked, null)
})

test('keys are found and listed page by page, those of other accounts for operators only', async () => {
  const desk = openDesk()
  const { own, foreign } = await twoAccounts(desk)
  for (const [account, name] of [
    [own, 'web one'],
    [own, 'web two'],
    [own, 'app'],
    [foreign, 'web three'],
  ] as const) {
    await desk.run(createKey, { account, name })
  }
  const owner = person({ [own]: 'owner' })
  const namesOf = async (input: Readonly<Record<string, unknown>>, actor = owner) => {
    const names: string[] = []
    let from: string | null = null
    do {
      const sent: typeof input = from === null ? input : { ...input, from }
      const page = await desk.run(listAllKeys, sent, actor)
      names.push(...page.keys.map(({ name }) => name))
      from = page.next
      if (from === null) assert.equal(page.found, names.length)
    } while (from !== null)
    return names.toSorted()
  }
  assert.deepEqual(await namesOf({ limit: 1 }), ['app', 'web one', 'web two'])
  assert.deepEqual(await namesOf({ search: 'WEB', limit: 1 }), ['web one', 'web two'])
  const everyWeb = ['web one', 'web three', 'web two']
  assert.deepEqual(await namesOf({ search: 'web', limit: 2 }, person({}, true)), everyWeb)
  assert.deepEqual(await namesOf({}, person({})), [])
  const { keys } = await desk.run(listKeys, { account: own, search: 'app' }, owner)
  const [app] = keys
  await desk.run(revokeKey, { account: own, key: app?.id ?? '' })
  assert.deepEqual(await namesOf({ state: 'active' }), ['web one', 'web two'])
  assert.deepEqual(await namesOf({ state: 'inactive' }), ['app'])
  assert.deepEqual(await namesOf({ ids: `${app?.id ?? ''},none` }), ['app'])
  const ids = Array.from({ length: 101 }, (_, at) => `k${at}`).join(',')
  assert.equal(
    await desk.refusal(listAllKeys, { ids }),
    'bad_input: ids: 101 IDs, expected at most 100',
  )
  assert.equal(
    await desk.refusal(listKeys, { account: own, from: 'x', limit: 1 }),
    'bad_input: from: not a place in the list',
  )
})

test('only operators create accounts and set their limits and names', async () => {
  const desk = openDesk()
  const { own } = await twoAccounts(desk)
  const owner = person({ [own]: 'owner' })
  const operator = person({}, true)
  const cases = [
    [createAccount, { name: 'team' }],
    [changeAccount, { account: own, settings: { filesStoredBytes: 5 } }],
  ] as const
  for (const [operation, sent] of cases) {
    const run = (actor: typeof owner) =>
      desk.refusal(operation as unknown as typeof getAccount, sent, actor)
    assert.match(await run(owner), /^not_allowed/)
    assert.equal(await run(operator), 'done')
  }
  const changed = await desk.run(changeAccount, {
    account: own,
    name: 'acme-2',
    settings: { filesStoredBytes: null, filesUploadBytesPerMonth: 9 },
  })
  assert.partialDeepStrictEqual(changed.account, { id: own, name: 'acme-2' })
  assert.deepEqual(changed.account.settings, {
    filesStoredBytes: null,
    filesUploadBytesPerMonth: 9,
    filesDownloadBytesPerMonth: null,
    provide: 'none',
  })
  assert.match(await desk.refusal(changeAccount, { account: own, name: 'team' }), /^conflict/)
  assert.match(await desk.refusal(createAccount, { name: 'team' }), /^conflict/)
  assert.match(await desk.refusal(createAccount, { name: 'a b' }), /^bad_input/)
  assert.match(await desk.refusal(changeAccount, { account: 'unknown', name: 'x' }), /^absent/)
})

test('the plans are those of the hosted service, and one that removes the limits', async () => {
  const { plans } = await openDesk().run(listPlans, {})
  assert.deepEqual(
    plans.map(({ name, limits }) => [name, limits.unitsPerDay, limits.unitsPerSecond]),
    [
      ['none', null, null],
      ['free', 3_000_000, 500],
      ['developer', 15_000_000, 4_000],
      ['team', 75_000_000, 40_000],
    ],
  )
})

test('changes of keys are in the audit log, without keys, secrets or tokens', async () => {
  const verdict = { units: 80, refusal: null, unjudged: [], left: null }
  const desk = openDesk({ tryRequest: () => Promise.resolve(verdict) })
  const { own } = await twoAccounts(desk)
  const imported = { apiKey: '9aa3d95b3bc440fa88ea12eaa4456161', apiKeySecret: 'secret-of-others' }
  const importedKey = await desk.run(createKey, { account: own, imported })
  const made = await desk.run(createKey, { account: own, name: 'web' })
  const params = { account: own, key: made.key.id }
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const added = await desk.run(addPublicKey, { ...params, name: 'signer', publicKey: pem })
  await desk.run(removePublicKey, { ...params, publicKey: added.publicKey.id })
  await desk.run(changeKey, { ...params, settings: { secretRequired: true } })
  const secret = await desk.run(rotateSecret, params)
  await desk.run(tryKey, { ...params, method: 'eth_chainId', jwt: 'head.claims.signature' })
  const next = await desk.run(rotateKey, { ...params, overlapMs: 5 })
  const records = await desk.identity.audit.list({ accountId: own, limit: 100 })
  assert.deepEqual(
    records.toReversed().map(({ action, target }) => [action, target]),
    [
      ['createKey', importedKey.key.id],
      ['createKey', made.key.id],
      ['addPublicKey', made.key.id],
      ['removePublicKey', made.key.id],
      ['changeKey', made.key.id],
      ['rotateSecret', made.key.id],
      ['rotateKey', made.key.id],
    ],
  )
  assert.deepEqual(records[0]?.changes, { overlapMs: 5, successor: next.key.id })
  assert.deepEqual(records[2]?.changes, { secretRequired: true })
  const retained = shown(records)
  const texts = [importedKey, made, next].flatMap(({ apiKey, apiKeySecret }) => [
    apiKey,
    apiKeySecret,
  ])
  for (const text of [...texts, secret.apiKeySecret, 'signature']) {
    assert.ok(!retained.includes(text), text)
  }
})

test('a refusal names the invalid member, and in a list the invalid entry', async () => {
  const desk = openDesk()
  const { own: account } = await twoAccounts(desk)
  const { key } = await desk.run(createKey, { account, name: 'web' })
  const change = (settings: Readonly<Record<string, unknown>>) =>
    fieldOf(desk.run(changeKey, { account, key: key.id, settings }))
  assert.equal(await change({ unitsPerDay: -1 }), 'settings.unitsPerDay')
  assert.equal(await change({ unitsPerDay: 1e13 }), 'settings.unitsPerDay')
  const ips = ['192.0.2.1', '192.0.2.0/33']
  assert.equal(await change({ allowIps: ips }), 'settings.allowIps.1')
  const many = Array.from({ length: 31 }, () => 'eth_call')
  assert.equal(await change({ allowMethods: many }), 'settings.allowMethods')
  const tried = { account, key: key.id, method: 'eth_call' }
  assert.equal(await fieldOf(desk.run(tryKey, { ...tried, ip: 'here' })), 'ip')
  const short = { ...tried, addresses: ['0x12'] }
  assert.equal(await fieldOf(desk.run(tryKey, short)), 'addresses.0')
  assert.equal(await fieldOf(desk.run(createKey, { account, name: 'a\nb' })), 'name')
  const quota = { account, settings: { filesStoredBytes: -1 } }
  assert.equal(await fieldOf(desk.run(changeAccount, quota)), 'settings.filesStoredBytes')
})

/** An account whose owners may have two active keys. */
async function limitedDesk() {
  const db = openDatabase(':memory:')
  migrate(db)
  const writer = createInlineWriter(db)
  const clock = createManualClock()
  const rows = createSqliteRows(db, writer)
  const limited = createAccounts({ rows, clock, keysMax: () => 2 })
  const desk = openDesk({ accounts: limited }, db)
  const { id } = await limited.createAccount('acme')
  const owner = person({ [id]: 'owner' })
  return { limited, desk, id, owner, make: () => desk.run(createKey, { account: id }, owner) }
}

test('an owner creates keys up to the limit of the account; an operator can exceed it', async () => {
  const { limited, desk, id, owner, make } = await limitedDesk()
  const made = [await make(), await make()]
  assert.match(
    await desk.refusal(createKey, { account: id }, owner),
    /at most 2 keys that work \(setting keys\.perAccountMax\)/,
  )
  await desk.run(createKey, { account: id }, person({}, true))
  for (const { key } of made) await limited.revokeKey(key.id)
  // Revoking a key allows a new one, but the number of revoked keys is limited too.
  for (let count = (await limited.listKeysOf(id)).length; count < 20; count++) {
    const { key } = await make()
    await limited.revokeKey(key.id)
  }
  assert.match(await desk.refusal(createKey, { account: id }, owner), /at most 20 keys/)
})

test('neither rotations nor parallel requests let an owner exceed the key limit', async () => {
  const { limited, desk, id, owner, make } = await limitedDesk()
  const settled = await Promise.allSettled(Array.from({ length: 10 }, make))
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 2)
  const [first, second] = await limited.listKeysOf(id)
  const rotate = (key: string | undefined, overlapMs: number) =>
    [rotateKey, { account: id, key: key ?? '', overlapMs }, owner] as const
  // With an overlap both keys are valid.
  assert.match(await desk.refusal(...rotate(first?.id, 60_000)), /at most 2 keys that work/)
  const { key } = await desk.run(...rotate(first?.id, 0))
  await limited.revokeKey(second?.id ?? '')
  const later = await desk.run(...rotate(key.id, 60_000))
  assert.match(await desk.refusal(createKey, { account: id }, owner), /at most 2 keys that work/)
  await desk.run(rotateKey, { account: id, key: later.key.id, overlapMs: 60_000 }, person({}, true))
  let newest = (await limited.listKeysOf(id)).find((one) => one.rotatedFrom === later.key.id)
  while ((await limited.listKeysOf(id)).length < 20 && newest !== undefined) {
    for (const one of await limited.listKeysOf(id)) {
      if (one.revoked === null && one.id !== newest.id) await limited.revokeKey(one.id)
    }
    newest = (await desk.run(...rotate(newest.id, 0))).key
  }
  assert.match(await desk.refusal(...rotate(newest?.id, 0)), /at most 20 keys/)
})
