// Records and IPNS keys in PostgreSQL, shared by two servers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { usualTerms } from '../../src/ipfs/names/names.ts'
import { never } from '../fakes/files/files-fixture.ts'
import { hourMs, newSigner } from '../fakes/files/names-fixture.ts'
import { createTestNames } from '../fakes/files/test-names.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'

const { skip, createDatabase, openNode } = usePostgres()

test('a record and a key of one server are those of another', { skip }, async (t) => {
  const database = await createDatabase()
  const { rows } = await openNode(t, database)
  const other = await openNode(t, database)
  const sql = "INSERT INTO account (id, name, created, card) VALUES ('alice', 'alice', 0, 1)"
  await rows.write([{ sql, parameters: [] }])
  const [here, there] = [rows, other.rows].map((each) => createTestNames(each, systemClock))
  assert.ok(here !== undefined && there !== undefined)
  const { name, sign } = newSigner()
  const put = (sequence: bigint, at: typeof here) => {
    const bytes = sign('/ipfs/bafkqaaa', sequence, systemClock.now() + hourMs)
    return at.names.put('alice', { name, bytes, force: false }, { offline: false }, never)
  }
  await put(1n, here)
  assert.equal((await there.names.find(name, usualTerms, never))?.sequence, 1n)
  await put(2n, there)
  await assert.rejects(put(2n, here), /existing IPNS record has sequence 2/)
  const ended = await Promise.allSettled([put(3n, here), put(3n, there), put(3n, here)])
  assert.ok(ended.some(({ status }) => status === 'fulfilled'))
  assert.equal((await here.names.find(name, usualTerms, never))?.sequence, 3n)
  const key = await here.keys().create('alice', 'site')
  assert.deepEqual(await there.keys().list('alice'), [{ name: 'site', id: key.id }])
  const publication = {
    key: 'site',
    path: '/ipfs/bafkqaaa',
    lifetimeMs: hourMs,
    ttlMs: 0,
    sequence: null,
    compatible: true,
  }
  await there.keys().publish('alice', publication, { offline: true }, never)
  const found = await here.names.resolve(`/ipns/${key.id.text}`, usualTerms, never)
  assert.equal(found.path, '/ipfs/bafkqaaa')
  assert.equal((await here.keys().rename('alice', 'site', 'page', false)).overwritten, false)
  assert.equal((await there.keys().remove('alice', 'page')).id.text, key.id.text)
})
