import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { missingPostgres, type Postgres, startPostgres } from '../../../test/engines/postgres.ts'
import { systemClock } from '../../base/clock.ts'
import { type Connections, createConnections } from './connections.ts'
import { migratePostgres } from './migrate.ts'
import { postgresMigrations } from './schema.ts'

const skip = missingPostgres()
let server: Postgres

if (skip === false) server = await startPostgres()
after(async () => {
  if (skip === false) await server.stop()
})

async function withDatabase(
  run: (connections: Connections, database: string) => Promise<void>,
  statementMs = 5000,
): Promise<void> {
  const database = await server.createDatabase()
  const connections = createConnections({
    url: server.urlOf(database),
    size: 4,
    clock: systemClock,
    statementMs,
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

test(
  'a migration may take longer than other statements, and so may the wait for it',
  { skip },
  async () => {
    const slow = [...first, 'SELECT pg_sleep(2.7)']
    await withDatabase(async (connections) => {
      const runs = await Promise.all([1, 2].map(() => migratePostgres(connections, [slow])))
      assert.deepEqual(
        runs.map(({ from }) => from).toSorted((a, b) => a - b),
        [0, 1],
      )
    }, 500)
  },
)

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

test(
  'storage besides blocks is added to accounts that have it, also above their quota',
  { skip },
  async () => {
    await withDatabase(async (connections, database) => {
      const adding = postgresMigrations.findIndex((step) =>
        step.some((sql) => sql.includes('inline_holding')),
      )
      await migratePostgres(connections, postgresMigrations.slice(0, adding))
      const run = (sql: string) => connections.lend(({ script }) => script(sql))
      await run(String.raw`INSERT INTO account (id, name, created, settings)
        VALUES ('a', 'a', 0, '{"filesStoredBytes":0}'), ('c', 'c', 0, '{}');
      INSERT INTO root (id, hash, codec, mode) VALUES (1, '\x0003010203', 85, 'recursive');
      INSERT INTO pin (account_id, cid, mode, created, root) VALUES ('a', '\x01', 'recursive', 0, 1);
      INSERT INTO pin_request (id, account_id, cid, name, folded, status, created, due, tries, blocks, bytes)
        VALUES ('r', 'a', '\x01', 'ü', 'ü', 'queued', 0, 0, 0, 0, 0), ('s', 'c', '\x01', '', '', 'queued', 0, 0, 0, 0, 0)`)
      await migratePostgres(connections)
      const sql = 'SELECT account_id AS id, bytes FROM account_storage ORDER BY account_id'
      assert.deepEqual(await server.query(database, sql), [
        { id: 'a', bytes: '8' },
        { id: 'c', bytes: '1' },
      ])
      await run('DELETE FROM pin; DELETE FROM pin_request')
      const total = 'SELECT sum(bytes) AS bytes FROM account_storage'
      assert.deepEqual(await server.query(database, total), [{ bytes: '0' }])
    })
  },
)
