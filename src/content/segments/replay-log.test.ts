// Index rows that follow an acknowledgement, and the replay of the log that recovers missing ones.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import {
  createMemoryFileOps,
  type MemoryFileOps,
} from '../../../test/fakes/files/memory-file-ops.ts'
import {
  createSegmentFixture,
  type SegmentFixture,
} from '../../../test/fakes/files/segment-fixture.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import type { UnverifiedItem } from '../ref.ts'
import { findCheckpoint } from '../../tables/log-checkpoint.ts'
import { replayLog } from './replay-log.ts'

const path = '/store'

function block(text: string): UnverifiedItem {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest()
  return { ref: { kind: 'dag-block', hash: Uint8Array.of(0x12, 0x20, ...digest) }, bytes }
}

const rowsOf = (db: Database): number => db.getValue<number>('SELECT count(*) FROM block') ?? 0

function database(t: TestContext): Database {
  const db = openDatabase(':memory:')
  migrate(db)
  t.after(() => db.close())
  return db
}

async function start(
  t: TestContext,
  ops: MemoryFileOps,
  db: Database,
): Promise<
  SegmentFixture & {
    readonly replayed: number
    readonly clock: ReturnType<typeof createManualClock>
  }
> {
  const clock = createManualClock()
  const writer = createInlineWriter(db)
  const replayed = await replayLog({ db, writer, ops, path, clock })
  return { ...createSegmentFixture(t, { ops, path, db, clock, rowsFollow: true }), replayed, clock }
}

test('blocks are readable before they have rows, and get them when the time is up', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const { store, clock } = await start(t, ops, db)
  await Promise.all(['a', 'b', 'c'].map((text) => store.put([block(text)])))
  assert.equal(rowsOf(db), 0)
  for (const text of ['a', 'b', 'c']) {
    assert.deepEqual(store.peek(block(text).ref), new Uint8Array(block(text).bytes))
    assert.ok(await store.has(block(text).ref))
  }
  clock.advance(250)
  await store.close()
  assert.equal(rowsOf(db), 3)
})

test('blocks without rows after a crash get them at the next start, to the last one', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const one = await start(t, ops, db)
  const texts = Array.from({ length: 2500 }, (_, number) => `block ${number}`)
  await Promise.all(texts.map((text) => one.store.put([block(text)])))
  assert.equal(rowsOf(db), 0)
  // Two more crashes, one of them before any work was done.
  await start(t, ops, db)
  const two = await start(t, ops, db)
  assert.equal(two.replayed, 0)
  assert.equal(rowsOf(db), texts.length)
  await two.store.put([block('later')])
  const three = await start(t, ops, db)
  assert.equal(three.replayed, 1)
  for (const text of [...texts, 'later']) assert.ok(three.store.peek(block(text).ref), text)
})

test('a deleted block stays deleted, after a crash and after an orderly end', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const one = await start(t, ops, db)
  // Once with a row in the same commit, and once with a row that follows.
  await one.store.put([block('a')], [{ sql: 'DELETE FROM pin', parameters: [] }])
  assert.equal(await one.store.delete([block('a').ref.hash]), 1)
  await one.store.put([block('b')])
  assert.equal(await one.store.delete([block('b').ref.hash]), 1)
  const two = await start(t, ops, db)
  assert.equal(two.replayed, 0)
  for (const text of ['a', 'b']) assert.equal(await two.store.has(block(text).ref), false)
  await two.store.put([block('c')], [{ sql: 'DELETE FROM pin', parameters: [] }])
  await two.store.close()
  db.run('DELETE FROM block')
  assert.equal((await start(t, ops, db)).replayed, 0)
})

test('a start reads only the part of the log behind the last written rows', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const one = await start(t, ops, db)
  await one.store.put([block('a')])
  await one.store.close()
  const [[name, log] = ['', new Uint8Array()]] = [...ops.files]
  assert.deepEqual(findCheckpoint(db), { file: 1, at: log.length })
  db.run('DELETE FROM block')
  // A read of the log would find it.
  assert.equal((await start(t, ops, db)).replayed, 0)
  assert.ok(ops.files.has(name))
})

test('bytes that fail verification, and torn ones, get no row', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const { store } = await start(t, ops, db)
  for (const text of ['first', 'wrong', 'torn']) await store.put([block(text)])
  const [[name, log] = ['', new Uint8Array()]] = [...ops.files]
  log[log.length - 'torn'.length - 16 - 34 - 1] = 0
  ops.files.set(name, log.subarray(0, log.length - 1))
  const again = await start(t, ops, db)
  assert.equal(again.replayed, 1)
  assert.ok(await again.store.has(block('first').ref))
  assert.equal(again.store.peek(block('wrong').ref), null)
  assert.equal(again.store.peek(block('torn').ref), null)
})

test('a segment number that is reused after a removal does not hide its blocks', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const one = await start(t, ops, db)
  await one.store.put([block('long enough to be behind the next')])
  await one.store.close()
  ops.files.clear()
  db.run('DELETE FROM block')
  const two = await start(t, ops, db)
  await two.store.put([block('b')])
  const three = await start(t, ops, db)
  assert.equal(three.replayed, 1)
  assert.ok(three.store.peek(block('b').ref))
})

test('a store of before has rows for all it acknowledged, and is not read again', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const before = createSegmentFixture(t, { ops, path, db })
  await before.store.put([block('a')])
  db.run('DELETE FROM log_checkpoint')
  db.run('DELETE FROM block')
  assert.equal((await start(t, ops, db)).replayed, 0)
  assert.deepEqual(findCheckpoint(db), { file: 1, at: ops.files.get('/store/log/1.log')?.length })
})

test('rows of a caller find the blocks that were put before them', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const { store } = await start(t, ops, db)
  const count = { sql: `UPDATE block SET created = 7 WHERE file <> 0`, parameters: [] }
  await store.put([block('a')])
  assert.deepEqual(await store.put([], [count]), [1])
  await store.put([block('b')])
  const batch = store.batch()
  await batch.put([block('b'), block('c')])
  assert.deepEqual(await batch.commit([count]), [3])
})

test('a block that goes to quarantine before it has a row gets one, and keeps its bytes', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const { store } = await start(t, ops, db)
  await Promise.all([store.put([block('a')]), store.put([block('b')])])
  await store.quarantine(block('a').ref)
  assert.equal(store.peek(block('a').ref), null)
  assert.ok(await store.get(block('a').ref, 'quarantined'))
  await store.close()
  assert.equal(rowsOf(db), 2)
  assert.ok(store.peek(block('b').ref))
})

test('failed row writes are retried, and dependent operations are refused until then', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const clock = createManualClock()
  const inline = createInlineWriter(db)
  await replayLog({ db, writer: inline, ops, path, clock })
  const { store } = createSegmentFixture(t, { ops, path, db, clock, rowsFollow: true })
  await store.put([block('a')])
  db.exec(`CREATE TRIGGER full BEFORE INSERT ON block BEGIN SELECT RAISE(ABORT, 'full'); END`)
  await assert.rejects(store.put([], [{ sql: 'SELECT 1', parameters: [] }]))
  clock.advance(1000)
  await new Promise(setImmediate)
  assert.ok(store.peek(block('a').ref))
  db.exec('DROP TRIGGER full')
  clock.advance(2000)
  await store.close()
  assert.equal(rowsOf(db), 1)
})

test('a segment whose blocks have no rows yet does not count as empty', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const clock = createManualClock()
  await replayLog({ db, writer: createInlineWriter(db), ops, path, clock })
  const limits = { sealBytes: 1 }
  const { store } = createSegmentFixture(t, { ops, path, db, clock, rowsFollow: true, limits })
  await store.put([block('a')])
  await store.put([block('b')])
  assert.equal(store.segments.sealed().size, 0)
  await store.put([], [{ sql: 'SELECT 1', parameters: [] }])
  assert.equal(store.segments.sealed().size, 1)
})

test('more blocks than wait for rows are taken, each with its row', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const { store } = await start(t, ops, db)
  const all = Array.from({ length: 40_000 }, (_, number) => block(`${number}`))
  await Promise.all(
    all.map((one) =>
      store.put([one]).catch((error: unknown) => {
        assert.ok(error instanceof Fault && error.code === 'overloaded')
      }),
    ),
  )
  await store.close()
  assert.equal(rowsOf(db), all.length)
})

test('a block of a former process that is brought again unasked is written once more, and its row stays', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const one = await start(t, ops, db)
  await one.store.put([block('a')])
  await one.store.close()
  const rows = db.all('SELECT * FROM block')
  const two = await start(t, ops, db)
  const bytes: number[] = []
  for (let time = 0; time < 3; time += 1) {
    await two.store.put([block('a')])
    bytes.push(two.store.bytes)
  }
  assert.equal(bytes[0], one.store.bytes * 2)
  assert.deepEqual(bytes, [bytes[0], bytes[0], bytes[0]])
  await two.store.put([], [{ sql: 'SELECT 1', parameters: [] }])
  assert.deepEqual(db.all('SELECT * FROM block'), rows)
  const three = await start(t, ops, db)
  assert.equal(three.replayed, 0)
  assert.deepEqual(three.store.peek(block('a').ref), new Uint8Array(block('a').bytes))
})

test('of a block that was written twice a wrong copy goes without the other', async (t) => {
  for (const hasRow of [false, true]) {
    const [ops, db] = [createMemoryFileOps(), database(t)]
    const one = await start(t, ops, db)
    await one.store.put([block('a')])
    await one.store.close()
    const two = await start(t, ops, db)
    await two.store.put([block('a')])
    if (hasRow) await two.store.put([], [{ sql: 'SELECT 1', parameters: [] }])
    const second = [...ops.files.keys()].toSorted().at(-1) ?? ''
    const bytes = ops.files.get(second) ?? assert.fail('there is no second log')
    const wrong = Uint8Array.from(bytes, (byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))
    ops.files.set(second, wrong)
    assert.notDeepEqual(two.store.peek(block('a').ref), new Uint8Array(block('a').bytes))
    await two.store.quarantine(block('a').ref)
    assert.deepEqual(two.store.peek(block('a').ref), new Uint8Array(block('a').bytes))
    // Quarantines the copy that the row refers to.
    await two.store.quarantine(block('a').ref)
    assert.equal(two.store.peek(block('a').ref), null)
  }
})

test('a store that was not replayed leaves the checkpoint where it is', async (t) => {
  const [ops, db] = [createMemoryFileOps(), database(t)]
  const one = await start(t, ops, db)
  await one.store.put([block('a')])
  const before = findCheckpoint(db)
  const { store } = createSegmentFixture(t, { ops, path, db })
  const many = Array.from({ length: 17_000 }, (_, number) => block(`${number}`))
  await store.put(many)
  await store.close()
  assert.deepEqual(findCheckpoint(db), before)
  assert.equal((await start(t, ops, db)).replayed, 1)
})
