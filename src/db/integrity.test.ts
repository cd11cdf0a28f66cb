import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { checkInThread } from './check-in-thread.ts'
import { checkIntegrity } from './integrity.ts'
import { migrate } from './migrate.ts'
import { type Database, openDatabase } from './sqlite.ts'

const accountId = 'account-of-alice'

/** A database with an account, 24 pins and 24 blocks; and the location of their bytes. */
function makeDatabase(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-integrity-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cairn.db')
  const db = openDatabase(path)
  migrate(db)
  db.run('INSERT INTO account (id, name, created) VALUES (?, ?, 0)', [accountId, 'alice'])
  for (let index = 0; index < 24; index += 1) {
    const hash = Buffer.alloc(34, index * 7 + 3)
    db.run('INSERT INTO pin (account_id, cid, mode, created) VALUES (?, ?, ?, ?)', [
      accountId,
      hash,
      'recursive',
      1_700_000_000_000 + index,
    ])
    db.run(
      'INSERT INTO block (hash, file, at, bytes, form, size, created) VALUES (?, 1, 0, 1, 0, 1, 0)',
      [hash],
    )
  }
  db.close()
  return path
}

/** Flips a bit of the first page of the table or index, at the `nth` occurrence of `found`. */
function flip(path: string, name: string, found: Uint8Array, nth: number): void {
  const db = openDatabase(path)
  const page = db.getValue<number>('SELECT rootpage FROM sqlite_schema WHERE name = ?', [name])
  db.close()
  const bytes = readFileSync(path)
  let at = ((page ?? 0) - 1) * 4096 - 1
  for (let seen = 0; seen < nth; seen += 1) at = bytes.indexOf(found, at + 1)
  assert.ok(at > 0 && at < (page ?? 0) * 4096)
  bytes[at] = (bytes[at] ?? 0) ^ 0x20
  writeFileSync(path, bytes)
}

function check(path: string, quick: boolean): readonly string[] {
  const db = openDatabase(path, { readOnly: true })
  const tables = Array.from(checkIntegrity(db, quick), ({ table }) => table)
  db.close()
  return [...new Set(tables)]
}

test('a sound database has no damage', (t) => {
  const path = makeDatabase(t)
  assert.deepEqual(check(path, true), [])
  assert.deepEqual(check(path, false), [])
})

test('a pin that is added during the check is not damage', (t) => {
  const path = makeDatabase(t)
  const writer = openDatabase(path)
  const db = openDatabase(path, { readOnly: true })
  const addsAfterScan: Database = {
    ...db,
    *iterate<Shape extends object>(sql: string) {
      yield* db.iterate<Shape>(sql)
      writer.run('INSERT INTO pin (account_id, cid, mode, created) VALUES (?, ?, ?, ?)', [
        accountId,
        Buffer.alloc(34, 0xff),
        'recursive',
        1_800_000_000_000,
      ])
    },
  }
  assert.deepEqual(Array.from(checkIntegrity(addsAfterScan, true)), [])
  assert.equal(writer.getValue('SELECT count(*) FROM pin'), 25)
  db.close()
  writer.close()
})

test('a check does not begin once the server stops', async (t) => {
  const stopped = AbortSignal.abort(new Error('the server stops'))
  const checked = checkInThread({ path: makeDatabase(t), quick: true }, stopped)
  await assert.rejects(checked, /the server stops/)
})

test('one flipped bit in a key of a pin is damage, quickly too', (t) => {
  const path = makeDatabase(t)
  flip(path, 'pin', Buffer.from(accountId), 9)
  assert.deepEqual(check(path, true), ['pin'])
  assert.deepEqual(check(path, false), ['pin'])
})

test('one flipped bit in an index is damage, and is gone when the index is rebuilt', (t) => {
  const path = makeDatabase(t)
  flip(path, 'sqlite_autoindex_block_1', Buffer.alloc(34, 10), 1)
  assert.deepEqual(check(path, false), ['block'])
  const db = openDatabase(path)
  db.exec('REINDEX block')
  db.close()
  assert.deepEqual(check(path, false), [])
})
