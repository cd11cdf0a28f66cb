// A power loss at any instant of a busy store: all acknowledged content exists and passes verification, and every index
// row points at bytes that are on disk. The seed is printed; set CAIRN_SEED to repeat a run.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import {
  createFailingFileOps,
  type FailingCall,
} from '../../../test/fakes/files/failing-file-ops.ts'
import { countLive } from '../../../test/fakes/upstream/live-blocks.ts'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import { createRecordingFileOps } from '../../../test/fakes/files/recording-file-ops.ts'
import { seeded } from '../../../test/fakes/seeded.ts'
import {
  createSegmentFixture,
  type SegmentFixture,
} from '../../../test/fakes/files/segment-fixture.ts'
import { Fault } from '../../base/fault.ts'
import { createDutyCycle } from '../../base/duty-cycle.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import type { SqlValue } from '../../db/writer.ts'
import type { UnverifiedItem } from '../ref.ts'
import type { LocalStore } from '../block-store.ts'
import type { Place } from './extents.ts'
import { setCheckpoint, findCheckpoint } from '../../tables/log-checkpoint.ts'
import { rebuildIndex } from './rebuild-index.ts'
import { replayLog } from './replay-log.ts'
import { systemClock } from '../../base/clock.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const limits = { sealBytes: 96 * 1024 }
const signal = new AbortController().signal
const atOnce = createDutyCycle({ clock: systemClock, writeCount: () => 0 })

type Snapshot = {
  readonly rows: readonly Record<string, SqlValue>[]
  readonly checkpoint: Place | null
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly acknowledged: readonly Uint8Array[]
}

for (const rowsFollow of [false, true]) {
  const how = rowsFollow ? ', rows following' : ''
  test(`a power loss at any instant loses no acknowledged write (seed ${seed})${how}`, async (t) => {
    const random = seeded(seed)
    const acknowledged = new Map<string, Uint8Array>()
    const instants: Snapshot[] = []
    const check = (): void => {
      if (fixture === null || random(12) !== 0) return
      instants.push({
        rows: fixture.db.all<Record<string, SqlValue>>('SELECT * FROM block'),
        checkpoint: findCheckpoint(fixture.db),
        files: disk.afterPowerLoss(random),
        acknowledged: [...acknowledged.values()],
      })
    }
    const disk = createRecordingFileOps(() => check())
    let fixture: SegmentFixture | null = null
    fixture = await replayedFixture(t, { ops: disk, limits, rowsFollow })
    let working = true
    const work = workALot(fixture.store, random, (hashes) => {
      for (const hash of hashes) acknowledged.set(Buffer.from(hash).toString('hex'), hash)
    }).finally(() => (working = false))
    let freed = 0
    // In parallel, blocks are deleted and mostly dead segments are removed.
    for (let round = 0; working; round += 1) {
      const deleted = [...acknowledged].filter(() => round % 40 === 39 && random(3) > 0)
      for (const [key] of deleted) acknowledged.delete(key)
      const hashes = deleted.map(([, hash]) => hash)
      await fixture.store.delete(hashes)
      const sealed = fixture.store.segments.sealed()
      const live = countLive(fixture.db)
      freed += (await fixture.store.segments.free(sealed, live, atOnce, signal)).segments
      await new Promise(setImmediate)
    }
    await work
    for (const instant of instants) await assertKept(t, instant, rowsFollow)
    t.diagnostic(`${freed} segments given back`)
    assert.ok(freed > 0)
    t.diagnostic(
      `${acknowledged.size} blocks acknowledged, power lost at ${instants.length} instants`,
    )
    assert.ok(instants.length > 30 && acknowledged.size > 10)
  })
}

async function assertKept(
  t: TestContext,
  { rows, checkpoint, files, acknowledged }: Snapshot,
  rowsFollow: boolean,
): Promise<void> {
  const ops = createMemoryFileOps()
  for (const [path, bytes] of files) ops.files.set(path, bytes)
  const db = databaseOf(rows)
  if (checkpoint !== null) await createInlineWriter(db).write([setCheckpoint(checkpoint)])
  const { store } = await replayedFixture(t, { ops, db, limits, rowsFollow })
  for (const hash of acknowledged) assertGood(store, hash)
  for (const { hash } of rows) assertGood(store, hash as Uint8Array)
  await store.close()
  db.close()
}

/** Opens the store as a server does. */
async function replayedFixture(
  t: TestContext,
  options: Parameters<typeof createSegmentFixture>[1],
): Promise<SegmentFixture> {
  const db = options.db ?? databaseOf([])
  const writer = createInlineWriter(db)
  if (options.rowsFollow === true) {
    await replayLog({ db, writer, ops: options.ops, path: '/store', clock: systemClock })
  }
  return createSegmentFixture(t, { ...options, db })
}

test(`an index rebuilt after a power loss has all acknowledged blocks (seed ${seed})`, async (t) => {
  const random = seeded(seed + 1)
  const acknowledged: Uint8Array[] = []
  const disk = createRecordingFileOps(() => {})
  const { store } = createSegmentFixture(t, { ops: disk, limits })
  for (let round = 0; round < 3; round += 1) {
    await workALot(store, random, (hashes) => acknowledged.push(...hashes), 15)
    const ops = createMemoryFileOps()
    for (const [path, bytes] of disk.afterPowerLoss(random)) ops.files.set(path, bytes)
    const again = createSegmentFixture(t, { ops, limits })
    const { db, writer } = again
    const verify = ({ hash }: { hash: Uint8Array }, bytes: Uint8Array) =>
      verifyDagBlock(hash, bytes)
    await rebuildIndex({ db, writer, ops, path: '/store', verify, clock: systemClock })
    for (const hash of acknowledged) assertGood(again.store, hash)
  }
})

for (const [call, most] of [
  ['open', 10],
  ['writev', 40],
  ['datasync', 20],
  ['syncDirectory', 10],
] as const) {
  test(`if ${call} fails, acknowledged content stays and the rest is refused (seed ${seed})`, async (t) => {
    for (let nth = 1; nth <= most; nth += 1) {
      await failNth(t, call, nth, nth % 2 === 0 ? 'EIO' : 'ENOSPC')
    }
  })
}

async function failNth(
  t: Parameters<typeof createSegmentFixture>[0],
  call: FailingCall,
  nth: number,
  code: string,
): Promise<void> {
  const random = seeded(seed + nth)
  const ops = createFailingFileOps(createMemoryFileOps())
  const rowsFollow = nth % 3 > 0
  const fixture = await replayedFixture(t, { ops, limits, rowsFollow })
  const acknowledged: Uint8Array[] = []
  ops.fail(call, nth, code)
  const note = (hashes: readonly Uint8Array[]) => void acknowledged.push(...hashes)
  await workALot(fixture.store, random, note, 12, (error) => {
    assert.ok(error instanceof Fault, String(error))
    assert.ok(error.code === 'no_space' || error.code === 'internal', error.code)
  })
  for (const hash of acknowledged) assertGood(fixture.store, hash)
  ops.heal()
  if (fixture.store.isWritable) await workALot(fixture.store, random, note, 4)
  // Starts again on the same files.
  const again = await replayedFixture(t, { ops, db: fixture.db, limits, rowsFollow })
  for (const hash of acknowledged) assertGood(again.store, hash)
  for (const { hash } of fixture.db.all<{ hash: Uint8Array }>('SELECT hash FROM block')) {
    assertGood(again.store, hash)
  }
  await workALot(again.store, random, note, 4)
  for (const hash of acknowledged) assertGood(again.store, hash)
}

/** Concurrent commits, batches and files, some abandoned. `onRefused`: called with each error. */
async function workALot(
  store: LocalStore,
  random: (limit: number) => number,
  acknowledge: (hashes: readonly Uint8Array[]) => void,
  turns = 40,
  onRefused: (error: unknown) => void = (error) => {
    throw error
  },
): Promise<void> {
  const some = (): UnverifiedItem[] => Array.from({ length: 1 + random(4) }, () => block(random))

  async function commit(): Promise<void> {
    const items = some()
    await store.put(items)
    acknowledge(items.map(({ ref }) => ref.hash))
  }

  /** Each is large enough to fill a group of the log, and there are more of them than are written in parallel. */
  async function burst(): Promise<void> {
    const commits = Array.from({ length: 6 }, async () => {
      const items = Array.from({ length: 64 }, () => block(random, 60))
      await store.put(items)
      acknowledge(items.map(({ ref }) => ref.hash))
    })
    const outcomes = await Promise.allSettled(commits)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  async function batch(): Promise<void> {
    const open = store.batch()
    const hashes: Uint8Array[] = []
    try {
      for (let part = random(4); part >= 0; part -= 1) {
        const items = some()
        await open.put(items, part)
        hashes.push(...items.map(({ ref }) => ref.hash))
      }
      const cut = { bytes: 4096, form: random(2) === 0 ? 'raw' : 'dag-pb' } as const
      const writer = open.leaves(cut, ({ multihash }) => hashes.push(multihash))
      await writer.write(noise(random(9), random(40_000)))
      await writer.end()
      if (random(4) === 0) return
      await open.commit()
      acknowledge(hashes)
    } finally {
      await open.discard()
    }
  }

  const lane = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      try {
        const kind = random(20)
        if (kind === 0) await burst()
        else await (kind % 2 === 0 ? commit() : batch())
      } catch (error) {
        onRefused(error)
      }
    }
  }
  await Promise.all([lane(), lane(), lane()])
}

/** Few enough distinct blocks that some are repeated. */
function block(random: (limit: number) => number, bytesMax = 3000): UnverifiedItem {
  const bytes = noise(random(400), 1 + random(bytesMax))
  const digest = createHash('sha256').update(bytes).digest()
  return { ref: { kind: 'dag-block', hash: Uint8Array.of(0x12, 0x20, ...digest) }, bytes }
}

function noise(from: number, bytes: number): Uint8Array {
  return createHash('shake256', { outputLength: Math.max(1, bytes) })
    .update(`noise ${from} ${bytes % 7}`)
    .digest()
}

function assertGood(store: LocalStore, hash: Uint8Array): void {
  const bytes = store.peek({ kind: 'dag-block', hash })
  assert.ok(bytes, `${Buffer.from(hash).toString('hex')} exists`)
  verifyDagBlock(hash, bytes)
}

function databaseOf(rows: readonly Record<string, SqlValue>[]): Database {
  const db = openDatabase(':memory:')
  migrate(db)
  const columns = ['id', 'hash', 'file', 'at', 'bytes', 'form', 'size', 'created']
  const sql = `INSERT INTO block (${columns.join()}) VALUES (${columns.map(() => '?').join()})`
  for (const row of rows)
    db.run(
      sql,
      columns.map((column) => row[column] ?? null),
    )
  return db
}
