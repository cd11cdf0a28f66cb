import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movedTables } from './moved-tables.ts'
import { postgresMigrations } from './postgres/schema.ts'

/**
 * Tables that belong to the servers of one database, or that are rebuilt at the target; `block` moves with the locations of its
 * copies.
 */
const others = new Set([
  'block',
  'staged',
  'node_lease',
  'segment',
  'data_set',
  'upload',
  'upload_part',
  'leadership',
  'shared_secret',
  'done',
  'revision',
  'storage_unjudged',
])

test('each table of a shared database moves, or stays for a reason', () => {
  const made = postgresMigrations
    .flat()
    .flatMap((text) => [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)/g)])
    .map(([, name = '']) => name)
  assert.ok(made.length > movedTables.length)
  const left = made.filter((name) => !movedTables.includes(name) && !others.has(name))
  assert.deepEqual(left, [])
})
