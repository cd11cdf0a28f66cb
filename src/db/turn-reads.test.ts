import { equal } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openDatabase } from './sqlite.ts'
import { createTurnReads } from './turn-reads.ts'

const sql = 'SELECT text FROM word WHERE id = ?'
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-turn-reads-'))
  const path = join(folder, 'words.db')
  const written = openDatabase(path)
  written.exec("CREATE TABLE word (id INTEGER PRIMARY KEY, text); INSERT INTO word VALUES (1, 'a')")
  const db = openDatabase(path, { readOnly: true })
  t.after(() => {
    db.close()
    written.close()
    rmSync(folder, { recursive: true })
  })
  return { written, db, reads: createTurnReads(db) }
}

test('reads of one turn share a read transaction, which ends with the turn', async (t) => {
  const { db, reads } = open(t)
  for (let round = 0; round < 2; round++) {
    equal(reads.getValue(sql, [1]), 'a')
    equal(db.inTransaction, true)
    equal(reads.getValue(sql, [1]), 'a')
    await turn()
    equal(db.inTransaction, false)
  }
})

test('what was committed a moment ago is found, though the turn began before', (t) => {
  const { written, reads } = open(t)
  equal(reads.getValue(sql, [1]), 'a')
  for (const id of [2, 3]) {
    written.run('INSERT INTO word VALUES (?, ?)', [id, 'b'])
    equal(reads.getValue(sql, [id]), 'b')
  }
  equal(reads.getValue(sql, [4]), null)
})

test('a deleted row is readable until the turn ends, or until an explicit refresh', async (t) => {
  const { written, reads } = open(t)
  equal(reads.getValue(sql, [1]), 'a')
  written.run('DELETE FROM word')
  equal(reads.getValue(sql, [1]), 'a')
  reads.renew()
  equal(reads.getValue(sql, [1]), null)
  written.run("INSERT INTO word VALUES (1, 'a')")
  equal(reads.getValue(sql, [1]), 'a')
  written.run('DELETE FROM word')
  await turn()
  equal(reads.getValue(sql, [1]), null)
})

test('a connection that closes before the turn ends is left alone', async (t) => {
  const { db, reads } = open(t)
  equal(reads.getValue(sql, [1]), 'a')
  db.close()
  await turn()
})

test('a transaction that cannot be ended is reported, ends before the next read, and ends no process', async (t) => {
  const { written, db } = open(t)
  let fails = true
  const failing = {
    ...db,
    get inTransaction() {
      return db.inTransaction
    },
    run(text: string) {
      if (fails && text === 'COMMIT') throw new Error('disk I/O error')
      return db.run(text)
    },
  }
  const reported: unknown[] = []
  const reads = createTurnReads(failing, (error) => reported.push(error))
  equal(reads.getValue(sql, [1]), 'a')
  await turn()
  equal(reported.length, 1)
  equal(db.inTransaction, true)
  fails = false
  written.run("UPDATE word SET text = 'b' WHERE id = 1")
  equal(reads.getValue(sql, [1]), 'b')
  await turn()
  equal(db.inTransaction, false)
  equal(reported.length, 1)
})
