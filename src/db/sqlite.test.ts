import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { copyDatabase, openDatabase } from './sqlite.ts'

test('reads in one group see one state, and the next read sees later writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-together-'))
  const path = join(folder, 'cairn.db')
  const db = openDatabase(path)
  db.exec('CREATE TABLE t (n INTEGER)')
  const reader = openDatabase(path, { readOnly: true })
  const count = () => reader.getValue<number>('SELECT count(*) FROM t')
  try {
    const counts = reader.together(() => {
      const before = count()
      db.run('INSERT INTO t VALUES (1)')
      return [before, count(), reader.together(count)]
    })
    assert.deepEqual(counts, [0, 0, 0])
    assert.equal(count(), 1)
    assert.throws(() => reader.together(() => assert.fail('inside')), /inside/)
    db.run('INSERT INTO t VALUES (2)')
    assert.equal(count(), 2)
  } finally {
    reader.close()
    db.close()
    rmSync(folder, { recursive: true })
  }
})

test('rows are plain objects and BLOBs are Uint8Arrays', () => {
  const db = openDatabase(':memory:')
  const row = db.get(`SELECT 1 AS one, x'0102' AS bytes, NULL AS none`)
  assert.deepStrictEqual(row, { one: 1, bytes: Uint8Array.of(1, 2), none: null })
  assert.equal(db.get('SELECT 1 WHERE 0'), null)
  db.close()
})

test('a single value is returned without its row, along with rows of the same statement', () => {
  const db = openDatabase(':memory:')
  const sql = `SELECT x'0102' AS bytes, 2 AS two WHERE ? = 1`
  for (let n = 0; n < 2; n++) {
    assert.deepStrictEqual(db.getValue(sql, [1]), Uint8Array.of(1, 2))
    assert.deepStrictEqual(db.get(sql, [1]), { bytes: Uint8Array.of(1, 2), two: 2 })
    assert.equal(db.getValue(sql, [0]), null)
  }
  for (let n = 0; n < 300; n++) assert.equal(db.getValue(`SELECT ${n}`), n)
  assert.throws(() => db.getValue('SELECT broken'), /no such column/)
  db.close()
})

test('a loop over rows may run the same statement inside', () => {
  const db = openDatabase(':memory:')
  db.exec('CREATE TABLE t (n); INSERT INTO t VALUES (1), (2), (3)')
  const seen: number[] = []
  for (const { n } of db.iterate<{ n: number }>('SELECT n FROM t')) {
    seen.push(n)
    assert.equal(db.all('SELECT n FROM t').length, 3)
  }
  assert.deepEqual(seen, [1, 2, 3])
  db.close()
})

test('more statements than are remembered still work', () => {
  const db = openDatabase(':memory:')
  for (let n = 0; n < 600; n++) assert.deepEqual(db.get(`SELECT ${n} AS n`), { n })
  db.close()
})

test('the size limit answers no_space with the cause', () => {
  const db = openDatabase(':memory:', { bytesMax: 64 * 1024 })
  db.exec('CREATE TABLE t (bytes)')
  assert.throws(
    () => db.run('INSERT INTO t VALUES (zeroblob(100000))'),
    (error) => error instanceof Fault && error.code === 'no_space' && error.cause !== undefined,
  )
  db.close()
})

test('a database file uses WAL with full sync, and another connection sees changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sqlite-'))
  const path = join(folder, 'a.db')
  const writing = openDatabase(path)
  writing.exec('CREATE TABLE t (n)')
  assert.deepEqual(writing.get('PRAGMA journal_mode'), { journal_mode: 'wal' })
  assert.deepEqual(writing.get('PRAGMA synchronous'), { synchronous: 2 })
  const reading = openDatabase(path, { readOnly: true })
  const before = reading.dataVersion()
  assert.equal(reading.dataVersion(), before)
  assert.equal(writing.run('INSERT INTO t VALUES (?)', [1]), 1)
  assert.notEqual(reading.dataVersion(), before)
  assert.deepEqual(reading.all('SELECT n FROM t'), [{ n: 1 }])
  assert.throws(() => reading.run('INSERT INTO t VALUES (2)'))
  reading.close()
  writing.close()
  rmSync(folder, { recursive: true })
})

test('a copy has the state of its begin, whatever is written meanwhile', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-copy-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cairn.db')
  const db = openDatabase(path)
  t.after(() => db.close())
  db.exec('CREATE TABLE stone (id INTEGER PRIMARY KEY, bytes BLOB)')
  // More pages than one step copies.
  for (let index = 0; index < 40; index += 1) {
    db.run('INSERT INTO stone (bytes) VALUES (zeroblob(?))', [1_000_000])
  }
  let steps = 0
  const to = join(folder, 'copy.db')
  await copyDatabase(path, to, {
    signal: new AbortController().signal,
    onPages() {
      steps += 1
      db.run('INSERT INTO stone (bytes) VALUES (zeroblob(?))', [1000])
      db.run('DELETE FROM stone WHERE id = ?', [steps])
    },
  })
  assert.ok(steps > 1)
  assert.equal(db.getValue('SELECT count(*) FROM stone'), 40)
  const copy = openDatabase(to, { readOnly: true })
  assert.deepEqual(
    copy.getRow('SELECT count(*), min(id), max(id), sum(length(bytes)) FROM stone'),
    [40, 1, 40, 40_000_000],
  )
  assert.equal(copy.getValue('PRAGMA integrity_check'), 'ok')
  copy.close()
  assert.equal(statSync(to).mode & 0o777, 0o600)
})

test('a copy ends between two steps when it is aborted, and a missing database is an error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-copy-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cairn.db')
  const db = openDatabase(path)
  t.after(() => db.close())
  db.exec('CREATE TABLE stone (bytes BLOB)')
  db.run('INSERT INTO stone (bytes) VALUES (zeroblob(?))', [30_000_000])
  const ending = new AbortController()
  const copying = copyDatabase(path, join(folder, 'copy.db'), {
    signal: ending.signal,
    onPages: () => ending.abort(new Error('enough')),
  })
  await assert.rejects(copying, /enough/)
  db.run('INSERT INTO stone (bytes) VALUES (zeroblob(?))', [1])
  const { signal } = new AbortController()
  await assert.rejects(copyDatabase(join(folder, 'none.db'), join(folder, 'c.db'), { signal }))
})
