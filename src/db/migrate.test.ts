import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, schemaVersion } from './migrate.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './sqlite.ts'

test('an empty database gets every migration, once', () => {
  const db = openDatabase(':memory:')
  assert.deepEqual(migrate(db), { from: 0, to: migrations.length })
  assert.deepEqual(migrate(db), { from: migrations.length, to: migrations.length })
  assert.deepEqual(db.get(`SELECT number FROM revision WHERE name = 'accounts'`), { number: 0 })
  db.close()
})

test('only the missing steps run', () => {
  const db = openDatabase(':memory:')
  migrate(db, [['CREATE TABLE a (n)']])
  migrate(db, [['CREATE TABLE a (n)'], ['CREATE TABLE b (n)', 'INSERT INTO b VALUES (1)']])
  assert.deepEqual(db.all('SELECT n FROM b'), [{ n: 1 }])
  db.close()
})

test('a step that fails leaves the database as it was', () => {
  const db = openDatabase(':memory:')
  assert.throws(() => migrate(db, [['CREATE TABLE a (n)', 'not sql']]))
  assert.equal(schemaVersion(db), 0)
  assert.throws(() => db.get('SELECT n FROM a'))
  db.close()
})

test('a database of a newer program is refused in one sentence', () => {
  const db = openDatabase(':memory:')
  db.exec('PRAGMA user_version = 99')
  assert.throws(
    () => migrate(db),
    new RegExp(`schema version 99, this Cairn knows versions up to ${migrations.length}:`),
  )
  assert.equal(schemaVersion(db), 99)
  db.close()
})

test('usage of before is carried over by hour, and summed by day', () => {
  const db = openDatabase(':memory:')
  const carrying = migrations.findIndex((step) => step.some((sql) => sql.includes('usage_hours')))
  migrate(db, migrations.slice(0, carrying))
  db.exec(`INSERT INTO account (id, name, created) VALUES ('a', 'acme', 0);
    INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
      VALUES ('k', 'a', '', '', x'01', x'02', 0)`)
  const insert = `INSERT INTO usage VALUES (?, 'k', ?, ?, 'm', ?, 2, 160, 10, 20)`
  db.run(insert, [86_400_000, 'rpc', 'dev', 'ok'])
  db.run(insert, [86_400_000 + 3_600_000, 'rpc', 'dev', 'ok'])
  db.run(insert, [2 * 86_400_000, 'files', '', 'over_quota'])
  migrate(db)
  for (const holder of ['k', '@a', '*']) {
    const sql = 'SELECT span, start, status, requests, units FROM usage WHERE holder = ?'
    assert.deepEqual(db.all(`${sql} ORDER BY span, start`, [holder]), [
      { span: 60, start: 86_400_000, status: 200, requests: 2, units: 160 },
      { span: 60, start: 90_000_000, status: 200, requests: 2, units: 160 },
      { span: 60, start: 172_800_000, status: 403, requests: 2, units: 160 },
      { span: 1440, start: 86_400_000, status: 200, requests: 4, units: 320 },
      { span: 1440, start: 172_800_000, status: 403, requests: 2, units: 160 },
    ])
  }
  db.close()
})

test('storage besides blocks is added to accounts that have it, also above their quota', () => {
  const db = openDatabase(':memory:')
  const adding = migrations.findIndex((step) => step.some((sql) => sql.includes('inline_holding')))
  migrate(db, migrations.slice(0, adding))
  db.exec(`INSERT INTO account (id, name, created, settings) VALUES ('a', 'a', 0, '{"filesStoredBytes":0}'),
      ('b', 'b', 0, '{}'), ('c', 'c', 0, '{}');
    INSERT INTO root (hash, codec, mode) VALUES (x'0003010203', 85, 'recursive'), (x'1201', 85, 'recursive');
    INSERT INTO pin (account_id, cid, mode, created, root) VALUES ('a', x'01', 'recursive', 0, 1),
      ('a', x'02', 'recursive', 0, 1), ('b', x'01', 'recursive', 0, 2);
    INSERT INTO pin_request (id, account_id, cid, name, folded, status, created, due, tries, blocks, bytes)
      VALUES ('r', 'a', x'01', 'ü', 'ü', 'queued', 0, 0, 0, 0, 0), ('s', 'c', x'01', '', '', 'queued', 0, 0, 0, 0, 0)`)
  migrate(db)
  const stored = db.all('SELECT account_id AS id, bytes FROM account_storage ORDER BY account_id')
  assert.deepEqual(stored, [
    { id: 'a', bytes: 8 },
    { id: 'b', bytes: 0 },
    { id: 'c', bytes: 1 },
  ])
  db.exec('DELETE FROM pin; DELETE FROM pin_request')
  assert.equal(db.getValue('SELECT sum(bytes) FROM account_storage'), 0)
  db.close()
})
