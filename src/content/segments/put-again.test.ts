// A few blocks that are put repeatedly and in parallel, deleted and put again while segments are removed, with delayed
// rows: after a power loss at any instant each acknowledged block exists. The seed is printed; set
// CAIRN_SEED to repeat a run. Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { test } from 'node:test'
import { countLive } from '../../../test/fakes/upstream/live-blocks.ts'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import { createRecordingFileOps } from '../../../test/fakes/files/recording-file-ops.ts'
import { seeded, type Random } from '../../../test/fakes/seeded.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createDutyCycle } from '../../base/duty-cycle.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import type { SqlValue, Writer } from '../../db/writer.ts'
import type { FileOps } from '../file-ops.ts'
import type { UnverifiedItem } from '../ref.ts'
import type { LocalStore } from '../block-store.ts'
import type { Place } from './extents.ts'
import { setCheckpoint, findCheckpoint } from '../../tables/log-checkpoint.ts'
import { replayLog } from './replay-log.ts'
import { defaultSegmentLimits } from './segment-limits.ts'
import { createSegmentStore, type SegmentStore } from './segment-store.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const blocks = 60
const signal = new AbortController().signal
const atOnce = createDutyCycle({ clock: systemClock, writeCount: () => 0 })
/** Most locations are not cached, so those blocks are written again. */
const limits = { ...defaultSegmentLimits, sealBytes: 48 * 1024, recentPlaces: 16 }
const columns = ['id', 'hash', 'file', 'at', 'bytes', 'form', 'size', 'created']

type Row = Readonly<Record<string, SqlValue>>
type Instant = {
  readonly rows: readonly Row[]
  readonly checkpoint: Place | null
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly acknowledged: readonly number[]
}

test(`blocks that are stored again during their deletion exist once acknowledged (seed ${seed})`, async (t) => {
  const random = seeded(seed)
  const db = databaseOf([])
  t.after(() => db.close())
  const acknowledged = new Set<number>()
  /** Number of deletions of each block: earlier puts then no longer count. */
  const givenUp = new Map<number, number>()
  const instants: Instant[] = []
  const disk = createRecordingFileOps(() => {
    if (random(25) > 0) return
    instants.push({
      rows: db.all<Row>('SELECT * FROM block'),
      checkpoint: findCheckpoint(db),
      files: disk.afterPowerLoss(random),
      acknowledged: [...acknowledged],
    })
  })
  const store = await open(db, disk, random)

  async function put(): Promise<void> {
    for (let turn = 0; turn < 150; turn += 1) {
      const numbers = Array.from({ length: 1 + random(3) }, () => random(blocks))
      const before = numbers.map((number) => givenUp.get(number))
      await store.put(numbers.map(blockAt))
      for (const [index, number] of numbers.entries()) {
        if (givenUp.get(number) === before[index]) acknowledged.add(number)
        if (acknowledged.has(number)) assertGood(store, number)
      }
      await turns(random(3))
    }
  }

  let working = true
  const work = Promise.all(Array.from({ length: 6 }, put)).finally(() => (working = false))
  let forgotten = 0
  while (working) {
    const deleted = [...acknowledged].filter(() => random(4) === 0)
    for (const number of deleted) {
      acknowledged.delete(number)
      givenUp.set(number, (givenUp.get(number) ?? 0) + 1)
    }
    const forgetting = store.delete(deleted.map((number) => blockAt(number).ref.hash))
    const [again] = deleted
    if (again !== undefined && random(2) === 0) {
      await store.put([blockAt(again)])
      acknowledged.add(again)
    }
    forgotten += await forgetting
    await store.segments.free(store.segments.sealed(), countLive(db), atOnce, signal)
    await turns(random(6))
  }
  await work
  for (const number of acknowledged) assertGood(store, number)
  for (const instant of instants.splice(0)) await assertKept(instant, random)
  t.diagnostic(`${forgotten} blocks forgotten`)
  assert.ok(forgotten > 0)
  await store.close()
})

async function assertKept(instant: Instant, random: Random): Promise<void> {
  const ops = createMemoryFileOps()
  for (const [path, bytes] of instant.files) ops.files.set(path, bytes)
  const db = databaseOf(instant.rows)
  const { checkpoint } = instant
  if (checkpoint !== null) await createInlineWriter(db).write([setCheckpoint(checkpoint)])
  const store = await open(db, ops, random)
  for (const number of instant.acknowledged) assertGood(store, number)
  await store.close()
  db.close()
}

async function open(db: Database, ops: FileOps, random: Random): Promise<SegmentStore> {
  const writer = lateWriter(db, random)
  const [path, clock] = ['/store', systemClock]
  await replayLog({ db, writer, ops, path, clock })
  return createSegmentStore({
    db,
    writer,
    ops,
    path,
    clock,
    log: silentLog,
    rowsFollow: true,
    limits,
  })
}

/** Writes in order and some turns later, as a thread does. */
function lateWriter(db: Database, random: Random): Writer {
  const inline = createInlineWriter(db)
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...inline,
    write(statements) {
      const written = last.then(async () => {
        await turns(random(4))
        return await inline.write(statements)
      })
      last = written.catch(() => undefined)
      return written
    },
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

function databaseOf(rows: readonly Row[]): Database {
  const db = openDatabase(':memory:')
  migrate(db)
  const sql = `INSERT INTO block (${columns.join()}) VALUES (${columns.map(() => '?').join()})`
  for (const row of rows) {
    db.run(
      sql,
      columns.map((column) => row[column] ?? null),
    )
  }
  return db
}

function blockAt(number: number): UnverifiedItem {
  const outputLength = 200 + ((number * 37) % 2500)
  const bytes = createHash('shake256', { outputLength }).update(`again ${number}`).digest()
  const digest = createHash('sha256').update(bytes).digest()
  return { ref: { kind: 'dag-block', hash: Uint8Array.of(0x12, 0x20, ...digest) }, bytes }
}

function assertGood(store: Pick<LocalStore, 'peek'>, number: number): void {
  const { ref } = blockAt(number)
  const bytes = store.peek(ref)
  assert.ok(bytes, `block ${number} exists`)
  verifyDagBlock(ref.hash, bytes)
}
