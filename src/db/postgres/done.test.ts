import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { systemClock } from '../../base/clock.ts'
import { query } from '../rows.ts'
import type { Statement } from '../writer.ts'
import type { Connection, Connections, Outcome } from './connections.ts'
import { toRecorded } from './done.ts'
import { createPostgresRows } from './postgres-rows.ts'
import { sweepDone } from './sweep-done.ts'

const postgres = usePostgres()
const { skip } = postgres

test(
  'IDs of writes are deleted when their time is over, given ones after a day',
  { skip },
  async (t) => {
    const database = await postgres.createDatabase()
    const { rows, connections } = await postgres.openNode(t, database)
    const write = { sql: `INSERT INTO revision (name) VALUES (?)`, parameters: ['a'] }
    const id = randomUUID()
    await rows.write([write], { id })
    await rows.write([{ ...write, parameters: ['b'] }])
    assert.equal(await sweepDone(connections), 0)
    const age = (by: string): Promise<unknown> =>
      postgres.server().query(database, `UPDATE done SET until = until - interval '${by}'`)
    await age('1 hour')
    assert.equal(await sweepDone(connections), 1)
    assert.deepEqual(await rows.write([write], { id }), [1])
    await age('23 hours')
    assert.equal(await sweepDone(connections), 1)
  },
)

/** The first borrower loses its connection before the request that records a write; `arrive` delivers that request later. */
function delayRecord(connections: Connections) {
  const withheld: (() => Promise<unknown>)[] = []
  const late = Promise.withResolvers<void>()
  let blocked: Promise<void> | null = null
  function delayed({ run, script }: Connection): Connection {
    let isLost = false
    const pass = (text: string, send: () => Promise<Outcome>): Promise<Outcome> => {
      isLost ||= text.includes('INTO done')
      if (!isLost) return send()
      if (text !== 'ROLLBACK') withheld.push(send)
      return Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNRESET' }))
    }
    return {
      run: (sql, values) => pass(sql, () => run(sql, values)),
      script: (sql) => pass(sql, () => script(sql)),
    }
  }
  return {
    lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
      if (blocked !== null) return connections.lend(work)
      const result = Promise.withResolvers<T>()
      blocked = connections.lend(async (connection) => {
        await work(delayed(connection)).then(result.resolve, result.reject)
        await late.promise
        await Promise.allSettled(withheld.map((send) => send()))
      })
      return result.promise
    },
    async arrive() {
      late.resolve()
      await blocked
    },
  }
}

test('a try that arrives after a later one was committed changes nothing', { skip }, async (t) => {
  const { connections } = await postgres.openNode(t, await postgres.createDatabase())
  const insert: Statement = { sql: 'INSERT INTO collection (asked) VALUES (1)', parameters: [] }
  const queried = query<{ count: number }>('SELECT count(*) AS count FROM collection')
  const rows = createPostgresRows(connections, systemClock)
  for (const statements of [[insert], [insert, insert]]) {
    const before = (await rows.first(queried))?.count ?? 0
    const { lend, arrive } = delayRecord(connections)
    await createPostgresRows({ lend }, systemClock).write(statements, { lock: 'none' })
    await arrive()
    assert.deepEqual(await rows.first(queried), { count: before + statements.length })
  }
})

test('a change is recorded after its own parameters', () => {
  const text = toRecorded('DELETE FROM account WHERE id = $1', 1)
  assert.match(text ?? '', /^WITH recorded AS \(DELETE FROM account WHERE id = \$1 RETURNING 1\)/)
  assert.match(text ?? '', /SELECT \$2::uuid, .* \$3::interval FROM recorded\s/)
})

test('a change that is required records nothing without rows', () => {
  assert.match(toRecorded('UPDATE account SET card = 1', 0, 'change') ?? '', /HAVING count/)
})

test('a statement of another form cannot be recorded', () => {
  for (const text of [
    'SELECT claim_root($1, $2)',
    'WITH gone AS (DELETE FROM pin) INSERT INTO root (id) VALUES (1)',
    'INSERT INTO account (id) VALUES ($1) RETURNING id',
  ])
    assert.equal(toRecorded(text, 1), null)
})
