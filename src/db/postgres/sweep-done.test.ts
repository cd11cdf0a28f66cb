import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
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
