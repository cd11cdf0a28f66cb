// Startup when the disk has no space for rows.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryPath } from '../../test/fakes/files/segment-fixture.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { UnverifiedItem } from '../content/ref.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/sqlite.ts'
import { openStore } from './open-content.ts'

function block(text: string): UnverifiedItem {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest()
  return { ref: { kind: 'dag-block', hash: Uint8Array.of(0x12, 0x20, ...digest) }, bytes }
}

test('a server starts without space for rows, and the next start completes the pending rows', async (t) => {
  const dataDir = temporaryPath(t)
  const dbPath = join(dataDir, 'cairn.db')
  const db = openDatabase(dbPath)
  t.after(() => db.close())
  migrate(db)
  const open = async () => {
    const [writer, log] = [createInlineWriter(db), silentLog]
    return await openStore({
      dataDir,
      database: db,
      writer,
      bytesMax: null,
      clock: systemClock,
      log,
    })
  }
  const one = await open()
  const all = Array.from({ length: 100 }, (_, number) => block(`${number}`))
  await Promise.all(all.map((each) => one.put([each])))
  db.exec(`PRAGMA max_page_count = ${db.getValue<number>('PRAGMA page_count') ?? 1}`)
  const two = await open()
  assert.equal(await two.has(all[99]?.ref ?? block('').ref), false)
  db.exec('PRAGMA max_page_count = 1000000')
  const three = await open()
  for (const { ref } of all) assert.ok(three.peek(ref))
  for (const store of [one, two, three]) await store.close()
})
