import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import { item } from '../../../test/suites/block-store.suite.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { createSqliteStore } from '../sqlite-store.ts'
import { moveBlocks } from './move-blocks.ts'
import { createSegmentStore } from './segment-store.ts'

test('blocks of an earlier version are moved, in steps that may be cut short, and chains stay', async (t) => {
  const db = openDatabase(':memory:')
  t.after(() => db.close())
  migrate(db)
  const writer = createInlineWriter(db)
  const rows = createSqliteStore({ db, writer })
  const blocks = Array.from({ length: 700 }, (_, index) => item(`block ${index}`))
  const header = item('header', 'header')
  const large = { ...item('large'), bytes: new Uint8Array(9_000_000).fill(1) }
  const larger = { ...item('larger'), bytes: new Uint8Array(9_000_000).fill(2) }
  await rows.put([...blocks, large, larger, header])
  // A row without a body, as in an incompletely copied folder.
  db.run(`INSERT INTO content VALUES ('dag-block', x'1220', 99999)`)
  const store = createSegmentStore({
    db,
    writer,
    ops: createMemoryFileOps(),
    path: '/store',
    clock: systemClock,
    log: silentLog,
  })
  let steps = 0
  const cut: typeof store.put = async (items, more) => {
    if (steps === 2) throw new Error('cut short')
    steps += 1
    return await store.put(items, more)
  }
  await assert.rejects(moveBlocks({ db, store: { put: cut }, log: silentLog }), /cut short/)
  const left = db.getValue<number>(`SELECT count(*) FROM content WHERE kind = 'dag-block'`) ?? 0
  assert.ok(left > 0 && left < 703)
  assert.equal(await moveBlocks({ db, store, log: silentLog }), left)
  assert.equal(await moveBlocks({ db, store, log: silentLog }), 0)
  for (const { ref, bytes } of [...blocks, large, larger, header]) {
    assert.deepEqual(store.peek(ref), bytes)
  }
  assert.deepEqual(db.all('SELECT kind FROM content'), [{ kind: 'header' }])
  assert.equal(db.getValue('SELECT count(*) FROM body'), 1)
})
