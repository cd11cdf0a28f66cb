// Guarantees of freeing: live blocks are readable at every moment, dead ones occupy no space.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { silentLog } from '../../base/log.ts'
import { createDutyCycle } from '../../base/duty-cycle.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { countLive } from '../../../test/fakes/upstream/live-blocks.ts'
import type { UnverifiedItem } from '../ref.ts'
import { defaultSegmentLimits } from './segment-limits.ts'
import { createSegmentStore } from './segment-store.ts'

const never = new AbortController().signal
const atOnce = createDutyCycle({ clock: createManualClock(), writeCount: () => 0 })
const sealBytes = 64 * 1024

function createStore(t: TestContext) {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  const ops = createMemoryFileOps()
  const open = () =>
    createSegmentStore({
      db: database,
      writer: createInlineWriter(database),
      ops,
      path: '/store',
      clock: createManualClock(),
      log: silentLog,
      limits: { ...defaultSegmentLimits, sealBytes },
    })
  return { database, ops, open, store: open() }
}

function item(text: string, bytes = 4096): UnverifiedItem {
  const block = Buffer.alloc(bytes, text)
  return { ref: { kind: 'dag-block', hash: multihashOf('sha2-256', block) }, bytes: block }
}

const items = (name: string, count: number): UnverifiedItem[] =>
  Array.from({ length: count }, (_, index) => item(`${name} ${index} `))

/** Deletes all blocks but these, then frees sealed segments. */
async function freeAllBut(
  { store, database }: Pick<ReturnType<typeof createStore>, 'store' | 'database'>,
  retained: readonly UnverifiedItem[],
) {
  const names = new Set(retained.map(({ ref }) => Buffer.from(ref.hash).toString('hex')))
  const sealed = store.segments.sealed()
  const loose = database
    .all<{ hash: Uint8Array }>('SELECT hash FROM block')
    .filter(({ hash }) => !names.has(Buffer.from(hash).toString('hex')))
  await store.delete(loose.map(({ hash }) => hash))
  return await store.segments.free(sealed, countLive(database), atOnce, never)
}

for (const kind of ['log', 'ext'] as const) {
  test(`a segment with a writer that started before its seal is not removed (${kind})`, async (t) => {
    const { database, ops } = createStore(t)
    const made = Promise.withResolvers<void>()
    const store = createSegmentStore({
      db: database,
      writer: createInlineWriter(database),
      ops: { ...ops, syncDirectory: () => made.promise },
      path: '/store',
      clock: createManualClock(),
      log: silentLog,
      limits: { ...defaultSegmentLimits, sealBytes },
    })
    const keep = async (name: string, bytes: number, batch = store.batch()) => {
      if (kind === 'log') await batch.put([item(name, bytes)])
      else {
        const leaves = batch.leaves({ bytes: 32_768, form: 'raw' }, () => {})
        await leaves.write(Buffer.alloc(bytes, name))
        await leaves.end()
      }
      return batch
    }
    const first = keep('first', 4096)
    while (!ops.files.has(`/store/${kind}/1.${kind}`)) await new Promise(setImmediate)
    const begunMeanwhile = store.batch()
    made.resolve()
    await (await first).commit()
    await keep('second', 4096, begunMeanwhile)
    await (await keep('more than is left', sealBytes - 4096)).commit()
    assert.ok(!store.segments.sealed().has(1))
    await begunMeanwhile.commit()
    assert.ok(store.segments.sealed().has(1))
    await store.close()
  })
}

test('a segment without live blocks is removed', async (t) => {
  const made = createStore(t)
  const { store, ops } = made
  for (const one of items('gone', 60)) await store.put([one])
  const last = items('kept', 2)
  await store.put(last)
  const before = store.bytes
  const { segments, bytes } = await freeAllBut(made, last)
  assert.ok(segments >= 3)
  assert.equal(store.bytes, before - bytes)
  assert.equal(ops.files.size, 1)
  for (const { ref, bytes: block } of last) assert.deepEqual(store.peek(ref), new Uint8Array(block))
})

test('what lives in a segment that is mostly dead is moved before it goes', async (t) => {
  const made = createStore(t)
  const { store, database, open } = made
  const all = items('block', 60)
  for (const one of all) await store.put([one])
  const retained = all.filter((_, index) => index % 5 === 0)
  const ids = () =>
    database.all(`SELECT id, hash FROM block ORDER BY id`).map((row) => JSON.stringify(row))
  const before = ids()
  const { segments } = await freeAllBut(made, retained)
  assert.ok(segments >= 3)
  // The remaining blocks have the same row IDs.
  assert.equal(ids().length, retained.length)
  assert.ok(ids().every((row) => before.includes(row)))
  for (const opened of [store, open()]) {
    for (const { ref, bytes } of retained) assert.deepEqual(opened.peek(ref), new Uint8Array(bytes))
  }
  assert.ok(store.bytes < (retained.length + 20) * 4200)
  // The segment that was written is sealed by now; no work is left.
  await freeAllBut(made, retained)
  assert.equal((await freeAllBut(made, retained)).segments, 0)
})

test('a moved block is found at its new location, and a deleted one is not found', async (t) => {
  const made = createStore(t)
  const { store, open } = made
  const all = items('block', 60)
  for (const one of all) await store.put([one])
  const other = open()
  for (const each of [store, other]) for (const { ref } of all) assert.ok(each.peek(ref))
  const retained = all.filter((_, index) => index % 5 === 0)
  await freeAllBut(made, retained)
  for (const each of [store, other]) {
    for (const { ref, bytes } of retained) assert.deepEqual(each.peek(ref), new Uint8Array(bytes))
  }
  for (const one of all) if (!retained.includes(one)) assert.equal(store.peek(one.ref), null)
})

test('leaves of large files are moved as blocks, and read as before', async (t) => {
  const made = createStore(t)
  const { store } = made
  const retained: UnverifiedItem[] = []
  for (let file = 0; file < 6; file += 1) {
    const batch = store.batch()
    const hashes: Uint8Array[] = []
    const writer = batch.leaves({ bytes: 8192, form: 'dag-pb' }, ({ multihash }) => {
      hashes.push(multihash)
    })
    await writer.write(
      Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * (file + 3)) % 251)),
    )
    await writer.end()
    await batch.commit()
    for (const hash of [hashes[1], hashes.at(-1)]) {
      assert.ok(hash)
      const ref = { kind: 'dag-block', hash } as const
      retained.push({ ref, bytes: store.peek(ref) ?? Buffer.alloc(0) })
    }
  }
  const { segments } = await freeAllBut(made, retained)
  assert.ok(segments >= 3)
  const pieces = await Array.fromAsync(
    store.read(
      retained.map(({ ref }) => ref),
      never,
    ),
    (group) => group.map((piece) => piece?.data.slice()),
  )
  assert.equal(pieces.flat().length, retained.length)
  for (const { ref, bytes } of retained) assert.deepEqual(store.peek(ref), bytes)
})

test('what an open batch wrote is left alone until it ends', async (t) => {
  const made = createStore(t)
  const { store } = made
  const batch = store.batch()
  const mine = items('mine', 60)
  for (const one of mine) await batch.put([one])
  // Their segments are full, and their rows are still pending.
  assert.equal((await freeAllBut(made, [])).segments, 0)
  await batch.commit()
  for (const { ref, bytes } of mine) assert.deepEqual(store.peek(ref), new Uint8Array(bytes))
  const dropped = store.batch()
  for (const one of items('dropped', 60)) await dropped.put([one])
  await dropped.discard()
  assert.ok((await freeAllBut(made, mine)).segments >= 2)
  for (const { ref, bytes } of mine) assert.deepEqual(store.peek(ref), new Uint8Array(bytes))
})

test('a copy that is wrong goes to quarantine, and its segment stays', async (t) => {
  const made = createStore(t)
  const { store, ops } = made
  const all = items('block', 40)
  for (const one of all) await store.put([one])
  const retained = [all[0], all[1]].filter((one) => one !== undefined)
  const [first] = ops.files.values()
  if (first !== undefined) first[200] = (first[200] ?? 0) ^ 1
  await freeAllBut(made, retained)
  const wrong = retained[0]?.ref ?? item('').ref
  assert.equal(store.peek(wrong), null)
  assert.ok(store.quarantineFlag.isUp)
  assert.notDeepEqual(await store.get(wrong, 'quarantined'), null)
  assert.deepEqual(store.peek(all[1]?.ref ?? item('').ref), new Uint8Array(all[1]?.bytes ?? []))
})
