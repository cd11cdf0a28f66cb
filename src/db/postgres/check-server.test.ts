import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { systemClock } from '../../base/clock.ts'
import { checkServer, type ServerProblem } from './check-server.ts'
import { createConnections } from './connections.ts'

const postgres = usePostgres()
const { skip } = postgres

type Case = {
  readonly sql?: string
  readonly user?: string
  readonly mayLoseCommits?: boolean
  readonly clock?: { now(): number }
}

async function check(testCase: Case): Promise<readonly ServerProblem[]> {
  const database = await postgres.createDatabase()
  const server = postgres.server()
  if (testCase.sql !== undefined) await server.query(database, testCase.sql)
  const url = server.urlOf(database).replace('postgres@', `${testCase.user ?? 'postgres'}@`)
  const connections = createConnections({ url, size: 1, clock: systemClock })
  try {
    const { mayLoseCommits = false, clock = systemClock } = testCase
    return await connections.lend((one) => checkServer(one, { mayLoseCommits, clock }))
  } finally {
    await connections.close()
  }
}

const codes = async (testCase: Case): Promise<readonly string[]> =>
  (await check(testCase)).map(({ code }) => code)

test('a sound server has no problem', { skip }, async () => {
  assert.deepEqual(await check({}), [])
})

test('a role that cannot write is named with the commands that fix it', { skip }, async () => {
  const sql = 'CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader'
  const [problem] = await check({ sql, user: 'reader' })
  assert.equal(problem?.code, 'database_read_only')
  assert.match(problem.text, /the role reader cannot change the database/)
  assert.equal(problem.fix, 'use the role postgres, which owns its tables')
  assert.deepEqual(await codes({ sql: 'CREATE ROLE stranger LOGIN', user: 'stranger' }), [
    'database_read_only',
  ])
  const refusing = `CREATE ROLE refusing LOGIN SUPERUSER; ALTER ROLE refusing SET default_transaction_read_only = on`
  assert.deepEqual(await codes({ sql: refusing, user: 'refusing' }), ['database_read_only'])
})

test(
  'a server that confirms what it has not stored is refused, unless the operator accepts it',
  { skip },
  async () => {
    const sql = `CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET synchronous_commit = off`
    assert.deepEqual(await codes({ sql, user: 'hasty' }), ['database_may_lose_commits'])
    assert.deepEqual(await codes({ user: 'hasty', mayLoseCommits: true }), [])
  },
)

test('a schema two versions ahead is refused, one version ahead is not', { skip }, async () => {
  const ahead = (by: number): string => `UPDATE schema_version SET version = version + ${by}`
  assert.deepEqual(await codes({ sql: ahead(1) }), [])
  assert.deepEqual(await codes({ sql: ahead(2) }), ['database_schema_new'])
})

test('clocks that differ by more than a second are a warning', { skip }, async () => {
  const late = createManualClock(systemClock.now() - 5000)
  const [problem] = await check({ clock: late })
  assert.equal(problem?.code, 'database_clock')
  assert.equal(problem.isFinal, false)
})

test('a database that cannot store every text is refused', { skip }, async () => {
  const name = 'latin'
  const options = `ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`
  await postgres.server().query('postgres', `CREATE DATABASE ${name} ${options}`)
  const connections = createConnections({
    url: postgres.server().urlOf(name),
    size: 1,
    clock: systemClock,
  })
  try {
    const [problem, ...more] = await connections.lend((one) =>
      checkServer(one, { mayLoseCommits: false, clock: systemClock }),
    )
    assert.deepEqual(more, [])
    assert.equal(problem?.code, 'database_encoding')
    assert.equal(problem.text, 'the database has the encoding LATIN1, expected UTF8')
  } finally {
    await connections.close()
  }
})
