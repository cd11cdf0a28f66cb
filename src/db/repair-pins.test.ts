import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createInlineWriter } from './inline-writer.ts'
import { checkIntegrity } from './integrity.ts'
import { migrate } from './migrate.ts'
import { type Database, openDatabase } from './sqlite.ts'
import { repairPins } from './repair-pins.ts'
import type { SqlValue } from './writer.ts'

const accountId = 'account-of-alice'
const pinsSql = 'SELECT * FROM pin ORDER BY account_id, cid'

test('after any bit flip of a pin, in the table or in the index, its repair restores all pins', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pins-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cairn.db')
  const made = openDatabase(path)
  migrate(made)
  made.run('INSERT INTO account (id, name, created) VALUES (?, ?, 0)', [accountId, 'alice'])
  for (let index = 0; index < 24; index += 1) {
    const hash = Buffer.concat([Buffer.of(18, 32), Buffer.alloc(32, index * 7 + 3)])
    made.run('INSERT INTO root (id, hash, codec, mode) VALUES (?, ?, 112, ?)', [
      index + 1,
      hash,
      'recursive',
    ])
    made.run(
      'INSERT INTO pin (account_id, cid, mode, name, created, root) VALUES (?, ?, ?, ?, ?, ?)',
      [accountId, hash, 'recursive', `pin ${index}`, 1_700_000_000_000 + index, index + 1],
    )
  }
  const right = made.all(pinsSql)
  const pageOf = (name: string): number =>
    made.getValue<number>('SELECT rootpage FROM sqlite_schema WHERE name = ?', [name]) ?? 0
  const pages = [pageOf('pin'), pageOf('pin_created')]
  made.close()
  const good = readFileSync(path)
  let repaired = 0
  for (const page of pages) {
    const from = (page - 1) * 4096
    const cid = Buffer.alloc(32, 8 * 7 + 3)
    for (const [at, bit] of [
      [good.indexOf(accountId, from) + 3, 5],
      [good.indexOf(cid, from) + 7, 6],
      [good.indexOf(cid, from) - 2, 0],
    ] as const) {
      const bytes = Buffer.from(good)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      writeFileSync(path, bytes)
      const db = openDatabase(path)
      try {
        assert.notDeepEqual([...checkIntegrity(db, false)], [])
        await createInlineWriter(db).write(repairPins(db))
        assert.deepEqual([...checkIntegrity(db, false)], [])
        assert.deepEqual(db.all(pinsSql), right)
        repaired += 1
      } finally {
        db.close()
      }
      rmSync(`${path}-wal`, { force: true })
      rmSync(`${path}-shm`, { force: true })
    }
  }
  assert.equal(repaired, 6)
})

test('the repair of many pins loads only as many of them as it can repair', (t) => {
  const db = openDatabase(':memory:')
  t.after(() => db.close())
  migrate(db)
  db.run('INSERT INTO account (id, name, created) VALUES (?, ?, 0)', [accountId, 'alice'])
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO pin (account_id, cid, mode, created) SELECT '${accountId}', CAST(printf('%034d', i) AS BLOB), 'recursive', i FROM n`)
  let rows = 0
  const counted: Database = {
    ...db,
    *iterate<Shape extends object>(sql: string, parameters?: readonly SqlValue[]) {
      for (const row of db.iterate<Shape>(sql, parameters)) {
        rows += 1
        yield row
      }
    },
    all<Shape extends object>(sql: string, parameters?: readonly SqlValue[]) {
      const all = db.all<Shape>(sql, parameters)
      rows += all.length
      return all
    },
  }
  assert.deepEqual(repairPins(counted), [{ sql: 'REINDEX pin', parameters: [] }])
  assert.ok(rows <= 2000, `${rows} pins`)
})
