import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toManyRows, toPostgres } from './dialect.ts'

test('parameters are numbered in order, and numbered ones keep their number', () => {
  assert.equal(toPostgres('a = ? AND b = ?'), 'a = $1 AND b = $2')
  assert.equal(toPostgres('a = ?2 OR a = ?1 OR c = ?12'), 'a = $2 OR a = $1 OR c = $12')
})

test('text in quotation marks stays as it is', () => {
  assert.equal(
    toPostgres(`a = '?' AND "b?" = ? AND c = 'it''s ?'`),
    `a = '?' AND "b?" = $1 AND c = 'it''s ?'`,
  )
})

test('a cross join with a condition becomes a join, one without stays', () => {
  assert.equal(
    toPostgres('FROM a CROSS JOIN b CROSS JOIN c AS d ON d.x = b.x WHERE a.y = ?'),
    'FROM a CROSS JOIN b JOIN c AS d ON d.x = b.x WHERE a.y = $1',
  )
  assert.equal(toPostgres('a CROSS JOIN b s ON s.i = ?'), 'a JOIN b s ON s.i = $1')
})

test('an INSERT of values takes many rows, unless it updates on conflict', () => {
  assert.equal(
    toManyRows('INSERT INTO a (b, c) VALUES (?, ?) ON CONFLICT DO NOTHING', 2),
    'INSERT INTO a (b, c) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING',
  )
  assert.equal(
    toManyRows('INSERT INTO a (b) VALUES (?) ON CONFLICT (b) DO UPDATE SET b = 1', 2),
    null,
  )
  assert.equal(toManyRows('DELETE FROM a WHERE b = ?', 2), null)
})
