import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from './migrate.ts'
import { createQueries, findAll, findOne, toStatement } from './queries.ts'
import { openDatabase } from './sqlite.ts'

test('typed queries read from a Database and become Statements for a Writer', () => {
  const db = openDatabase(':memory:')
  migrate(db)
  const queries = createQueries()
  const insert = queries.insertInto('account').values({ id: 'a', name: 'A', created: 5, card: 0 })
  const { sql, parameters, require } = toStatement(insert, 'change')
  assert.equal(require, 'change')
  assert.equal(db.run(sql, parameters), 1)
  const query = queries.selectFrom('account').select(['id', 'created']).where('name', '=', 'A')
  assert.deepEqual(findOne(db, query), { id: 'a', created: 5 })
  assert.deepEqual(findAll(db, query.where('card', '=', 1)), [])
  assert.equal(findOne(db, query.where('card', '=', 1)), null)
  db.close()
})
