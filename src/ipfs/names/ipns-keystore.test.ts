// Keys that Cairn holds for accounts, and the records that they sign.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNamesFixture, hourMs, newSigner } from '../../../test/fakes/files/names-fixture.ts'
import { never } from '../../../test/fakes/files/files-fixture.ts'
import { createSecretEncryption } from '../../access/people/secret-encryption.ts'
import { seedOf } from '../../codec/ipld/libp2p-key.ts'
import {
  publicationsPerAccountMax,
  createIpnsKeystore,
  ipnsKeysMax,
  type Publication,
} from './ipns-keystore.ts'
import { usualTerms } from './names.ts'

const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const publication: Publication = {
  key: 'self',
  path: `/ipfs/${cid}`,
  lifetimeMs: 48 * hourMs,
  ttlMs: 300_000,
  sequence: null,
  compatible: true,
}
const online = { offline: false }

test('keys belong to one account, are listed with self first, renamed and removed', async (t) => {
  const { keys } = createNamesFixture(t)
  const site = await keys.create('alice', 'site')
  await keys.create('alice', 'blog')
  await keys.publish('alice', publication, online, never)
  const listed = await keys.list('alice')
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['self', 'blog', 'site'],
  )
  assert.deepEqual(await keys.list('bob'), [])
  await assert.rejects(keys.create('alice', 'site'), {
    message: "key with name 'site' already exists",
  })
  await assert.rejects(keys.rename('alice', 'site', 'blog', false), /already exists/)
  assert.deepEqual(await keys.rename('alice', 'site', 'blog', true), {
    id: site.id,
    overwritten: true,
  })
  assert.deepEqual(
    (await keys.list('alice')).map(({ name }) => name),
    ['self', 'blog'],
  )
  await assert.rejects(keys.remove('bob', 'blog'), { message: 'no key named blog was found' })
  assert.equal((await keys.remove('alice', 'blog')).id.text, site.id.text)
  for (const run of [
    () => keys.create('alice', 'self'),
    () => keys.remove('alice', 'self'),
    () => keys.rename('alice', 'self', 'x', true),
    () => keys.rename('alice', 'blog', 'self', true),
    () => keys.create('alice', 'a/b'),
    () => keys.create('alice', ''),
  ]) {
    await assert.rejects(run(), { code: 'command_failed' })
  }
})

test('an account has at most 100 keys', async (t) => {
  const { keys } = createNamesFixture(t)
  for (let at = 0; at < ipnsKeysMax - 1; at += 1) await keys.create('alice', `key ${at}`)
  const names = ['one', 'two', 'three']
  const parallel = await Promise.allSettled(names.map((name) => keys.create('alice', name)))
  assert.equal(parallel.filter(({ status }) => status === 'fulfilled').length, 1)
  await assert.rejects(keys.create('alice', 'more'), /at most 100 keys/)
  await keys.create('bob', 'more')
})

test('a private key is not in the database as it is, and another server secret does not decrypt it', async (t) => {
  const { keys, rows, names, clock, database } = createNamesFixture(t)
  const { key } = newSigner()
  await keys.import('alice', 'brought', key)
  await assert.rejects(keys.import('alice', 'again', key), /has this key already/)
  const seed = Buffer.from(seedOf(key))
  assert.deepEqual(Buffer.from(seedOf(await keys.export('alice', 'brought'))), seed)
  const stored = database.all<Record<string, unknown>>('SELECT * FROM ipns_key')
  for (const value of stored.flatMap((row) => Object.values(row))) {
    if (value instanceof Uint8Array) assert.equal(Buffer.from(value).indexOf(seed), -1)
  }
  const seal = createSecretEncryption(() => Buffer.alloc(32, 2), 'cairn seal of an IPNS key')
  const other = createIpnsKeystore({ rows, names, seal, clock })
  await assert.rejects(other.export('alice', 'brought'), /identity\.pem/)
  database.run("UPDATE ipns_key SET account_id = 'bob'")
  await assert.rejects(keys.export('bob', 'brought'), /identity\.pem/)
})

test('a publication resolves, and its sequence number rises with the value', async (t) => {
  const { keys, names } = createNamesFixture(t)
  const site = await keys.create('alice', 'site')
  const publish = (change: Partial<Publication> = {}) =>
    keys.publish('alice', { ...publication, key: 'site', ...change }, online, never)
  const first = await publish()
  assert.equal(first.name.text, site.id.text)
  assert.deepEqual([first.sequence, first.hasV1], [0n, true])
  assert.equal((await publish()).sequence, 0n)
  const other = `/ipfs/${cid}/other`
  assert.equal((await publish({ path: other })).sequence, 1n)
  assert.equal((await publish({ key: site.id.text, sequence: 9n })).sequence, 9n)
  await assert.rejects(publish({ sequence: 9n }), {
    message: 'sequence number must be greater than the current record sequence',
  })
  const found = await publish({ path: other, compatible: false })
  assert.deepEqual([found.sequence, found.hasV1], [10n, false])
  const resolved = await names.resolve(`/ipns/${site.id.text}`, usualTerms, never)
  assert.deepEqual(resolved, { path: other, ttlMs: 300_000 })
  await assert.rejects(publish({ key: 'nothing' }), {
    message: 'no key by the given name or PeerID was found',
  })
})

test('parallel publications of a key take turns, also those that create the key', async (t) => {
  const { keys, names } = createNamesFixture(t)
  const publish = (path: string) => keys.publish('alice', { ...publication, path }, online, never)
  const all = await Promise.all([1, 2, 3, 3].map((at) => publish(`/ipfs/${cid}/${at}`)))
  assert.deepEqual(
    all.map(({ sequence }) => sequence),
    [0n, 1n, 2n, 2n],
  )
  const [{ name } = assert.fail()] = all
  assert.equal((await names.find(name, usualTerms, never))?.value, `/ipfs/${cid}/3`)
})

test('an account has 100 publications under way, and others have theirs', async (t) => {
  const { keys } = createNamesFixture(t)
  const publish = (accountId: string) => keys.publish(accountId, publication, online, never)
  const all = Array.from({ length: publicationsPerAccountMax }, () => publish('alice'))
  await assert.rejects(publish('alice'), { code: 'overloaded', message: /^100 publications/ })
  await publish('bob')
  await Promise.all(all)
  await publish('alice')
})

test('after the highest sequence number, only the published value can be published again', async (t) => {
  const { keys } = createNamesFixture(t)
  const highest = { ...publication, sequence: 2n ** 64n - 1n }
  await keys.publish('alice', highest, online, never)
  await keys.publish('alice', publication, online, never)
  const changed = { ...publication, path: `/ipfs/${cid}/other` }
  await assert.rejects(keys.publish('alice', changed, online, never), {
    code: 'command_failed',
    message: /18446744073709551615, .* no higher/,
  })
})

test('the sequence number continues from a record that another machine published', async (t) => {
  const { keys, clock, routed, state } = createNamesFixture(t)
  state.isOnline = true
  const signer = newSigner()
  await keys.import('alice', 'shared', signer.key)
  routed.set(signer.name.text, [signer.sign('/ipfs/other', 41n, clock.now() + hourMs)])
  const made = await keys.publish('alice', { ...publication, key: 'shared' }, online, never)
  assert.equal(made.sequence, 42n)
  assert.deepEqual(state.puts, [signer.name.text])
  const offline = { ...publication, key: 'shared', path: `/ipfs/${cid}/x` }
  assert.equal((await keys.publish('alice', offline, { offline: true }, never)).sequence, 43n)
  assert.equal(state.puts.length, 1)
})

test('a record is signed again after half of its lifetime, also one that ended meanwhile', async (t) => {
  const { keys, names, clock } = createNamesFixture(t)
  const { name } = await keys.publish('alice', publication, online, never)
  clock.advance(24 * hourMs - 1)
  assert.equal(await keys.renew(never), 0)
  const before = await names.find(name, usualTerms, never)
  clock.advance(1)
  assert.equal(await keys.renew(never), 0)
  const after = await names.find(name, usualTerms, never)
  assert.equal((after?.validity ?? 0) - (before?.validity ?? 0), 24 * hourMs)
  assert.equal(after?.sequence, before?.sequence)
  clock.advance(100 * hourMs)
  await assert.rejects(names.resolve(`/ipns/${name.text}`, usualTerms, never))
  await keys.renew(never)
  assert.equal(
    (await names.resolve(`/ipns/${name.text}`, usualTerms, never)).path,
    publication.path,
  )
})
