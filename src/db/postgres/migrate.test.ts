import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { missingPostgres, type Postgres, startPostgres } from '../../../test/engines/postgres.ts'
import { systemClock } from '../../base/clock.ts'
import { type Connections, createConnections } from './connections.ts'
import { migratePostgres } from './migrate.ts'
import { postgresMigrations } from './schema.ts'

const skip = missingPostgres()
let server: Postgres

before(async () => {
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

async function withDatabase(
  run: (connections: Connections, database: string) => Promise<void>,
): Promise<void> {
  const database = await server.createDatabase()
  const connections = createConnections({
    url: server.urlOf(database),
    size: 4,
    clock: systemClock,
  })
  try {
    await run(connections, database)
  } finally {
    await connections.close()
  }
}

const first = ['CREATE TABLE one (id bigint)']
const second = ['ALTER TABLE one ADD COLUMN more bigint']
const newest = postgresMigrations.length

test('an empty database gets the schema, once', { skip }, async () => {
  await withDatabase(async (connections, database) => {
    assert.deepEqual(await migratePostgres(connections), { from: 0, to: newest })
    assert.deepEqual(await migratePostgres(connections), { from: newest, to: newest })
    const [row] = await server.query(database, 'SELECT count(*) AS revisions FROM revision')
    assert.deepEqual(row, { revisions: '4' })
  })
})

test('programs that start together migrate once', { skip }, async () => {
  await withDatabase(async (connections) => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => migratePostgres(connections)))
    assert.equal(runs.filter(({ from }) => from === 0).length, 1)
  })
})

test('a migration that fails changes nothing', { skip }, async () => {
  await withDatabase(async (connections, database) => {
    await assert.rejects(migratePostgres(connections, [first, [...second, 'SELECT nothing']]))
    assert.deepEqual(await server.query(database, `SELECT to_regclass('one') AS found`), [
      { found: null },
    ])
    assert.deepEqual(await migratePostgres(connections, [first, second]), { from: 0, to: 2 })
  })
})

test('a program works with the next schema, and refuses one beyond it', { skip }, async () => {
  await withDatabase(async (connections) => {
    await migratePostgres(connections, [first, second, ['SELECT 1']])
    assert.deepEqual(await migratePostgres(connections, [first, second]), { from: 3, to: 3 })
    await assert.rejects(migratePostgres(connections, [first]), {
      message:
        'the database has schema version 3, this Cairn knows versions up to 1: start a newer Cairn',
    })
  })
})
