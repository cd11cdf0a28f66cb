// The owner of a bucket: two data sets in one bucket, and a wrong bucket.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { checkDataSet, describeDataSet } from '../../src/content/objects/data-set.ts'
import { createConnections } from '../../src/db/postgres/connections.ts'
import { createPostgresRows } from '../../src/db/postgres/postgres-rows.ts'
import { missingPostgres, type Postgres, startPostgres } from '../engines/postgres.ts'
import { openObjectFixture } from '../fakes/files/object-fixture.ts'
import { blockOf } from '../fakes/files/object-service.ts'

const skip = missingPostgres()
let server: Postgres
const never = new AbortController().signal

before(async () => {
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

test('a place belongs to the database that first stored files in it', { skip }, async (t) => {
  const [one, other] = [await openObjectFixture(server), await openObjectFixture(server)]
  t.after(() => one.close())
  t.after(() => other.close())
  assert.equal(await checkDataSet(one.rows, one.objects, false), null)
  assert.equal(await checkDataSet(other.rows, one.objects, true), null)
  assert.equal(await checkDataSet(one.rows, one.objects, true), 'foreign')
  assert.equal(await checkDataSet(other.rows, one.objects, true), null)
  await one.objects.put('cairn.json', Buffer.from('no JSON'), never)
  assert.equal(await checkDataSet(other.rows, one.objects, true), 'foreign')
})

test('a place of others is found before a new database has tables', { skip }, async (t) => {
  const owner = await openObjectFixture(server)
  t.after(() => owner.close())
  const url = server.urlOf(await server.createDatabase())
  const connections = createConnections({ url, size: 1, clock: systemClock })
  t.after(() => connections.close())
  const rows = createPostgresRows(connections, systemClock)
  assert.equal(await checkDataSet(rows, owner.objects, false), null)
  await checkDataSet(owner.rows, owner.objects, true)
  assert.equal(await checkDataSet(rows, owner.objects, false), 'foreign')
})

test('a place without marker is wrong once the database has objects', { skip }, async (t) => {
  const fixture = await openObjectFixture(server)
  t.after(() => fixture.close())
  const { store } = await fixture.machine()
  await store.put([blockOf('stored', 100)])
  assert.equal(await checkDataSet(fixture.rows, fixture.objects, true), 'absent')
})

test('each problem has a sentence with the place, and a fix', () => {
  for (const problem of ['foreign', 'absent'] as const) {
    const { message, fix } = describeDataSet(problem, 's3://bucket/files')
    assert.match(message, /^s3:\/\/bucket\/files /)
    assert.match(fix, /^set objects\.url /)
  }
})
