import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { applyGroup } from './apply.ts'
import { openDatabase, type Database } from './sqlite.ts'
import { createWriteGroup } from './write-group.ts'
import { NothingChanged, type Statement } from './writer.ts'

function open(bytesMax?: number): Database {
  const db = openDatabase(':memory:', bytesMax === undefined ? {} : { bytesMax })
  db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)')
  return db
}

function insert(n: number, bytes = 0): Statement {
  return { sql: 'INSERT INTO t VALUES (?, zeroblob(?))', parameters: [n, bytes] }
}

const numbers = (db: Database): number[] =>
  db.all<{ n: number }>('SELECT n FROM t ORDER BY n').map(({ n }) => n)

test('a write that fails is undone whole and leaves its group alone', () => {
  const db = open()
  const outcomes = applyGroup(db, [[insert(1)], [insert(2), insert(1)], [insert(3), insert(4)]])
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [true, false, true],
  )
  assert.deepEqual(outcomes[2], { ok: true, changes: [1, 1] })
  assert.deepEqual(numbers(db), [1, 3, 4])
  db.close()
})

test('a write of one statement that fails half-way leaves none of its rows', () => {
  const db = open()
  const many = 'INSERT INTO t (n) SELECT value FROM json_each(?)'
  const outcomes = applyGroup(db, [
    [{ sql: many, parameters: ['[1, 2]'] }],
    [{ sql: many, parameters: ['[3, 4, 2, 5]'] }],
    [{ sql: 'INSERT INTO t (n) VALUES (?)', parameters: [], rows: [[6], [1]] }],
    [{ sql: 'INSERT INTO t (n) VALUES (?)', parameters: [], rows: [[7]] }],
  ])
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [true, false, false, true],
  )
  assert.deepEqual(numbers(db), [1, 2, 7])
  db.close()
})

test('a required change without effect undoes its write and reports its index', () => {
  const db = open()
  const touch: Statement = { sql: 'UPDATE t SET n = n WHERE n = 9', parameters: [] }
  const [outcome] = applyGroup(db, [[insert(1), { ...touch, require: 'change' }]])
  assert.ok(outcome?.ok === false && outcome.error instanceof NothingChanged)
  assert.equal(outcome.error.index, 1)
  assert.deepEqual(numbers(db), [])
  assert.deepEqual(applyGroup(db, [[touch]]), [{ ok: true, changes: [0] }])
  db.close()
})

test('one write that does not fit does not cost the others their place', () => {
  const db = open(256 * 1024)
  const outcomes = applyGroup(db, [[insert(1)], [insert(2, 1024 * 1024)], [insert(3)]])
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [true, false, true],
  )
  const error = outcomes[1]?.ok === false ? outcomes[1].error : null
  assert.ok(error instanceof Fault && error.code === 'no_space')
  assert.deepEqual(numbers(db), [1, 3])
  db.close()
})

test('a commit that fails fails every write of the group', () => {
  const db = open()
  db.exec(`PRAGMA foreign_keys = ON;
    CREATE TABLE child (n REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)`)
  const orphan: Statement = { sql: 'INSERT INTO child VALUES (7)', parameters: [] }
  const outcomes = applyGroup(db, [[insert(1)], [orphan]])
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [false, false],
  )
  assert.deepEqual(numbers(db), [])
  assert.deepEqual(applyGroup(db, [[insert(1)]]), [{ ok: true, changes: [1] }])
  db.close()
})

test('after a failed sync all writes are refused, even if the device works again', () => {
  const db = open()
  let failing = true
  const brittle: Database = {
    ...db,
    get inTransaction() {
      return db.inTransaction
    },
    exec(script) {
      if (script === 'COMMIT' && failing) {
        const cause = Object.assign(new Error('disk I/O error'), { errcode: 1034 })
        throw new Fault('no_space', { cause })
      }
      db.exec(script)
    },
  }
  const writeGroup = createWriteGroup(brittle)
  assert.equal(writeGroup([[insert(1)]])[0]?.ok, false)
  failing = false
  const [later] = writeGroup([[insert(2)]])
  assert.ok(later?.ok === false && later.error instanceof Fault && later.error.code === 'no_space')
  assert.deepEqual(numbers(db), [])
  db.close()
})
