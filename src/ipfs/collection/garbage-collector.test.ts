// Tests of collections: referenced content remains, unreferenced content is deleted, and the counts equal those of a walk.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { CID } from 'multiformats/cid'
import {
  atOnce,
  bytesOf,
  createFilesFixture,
  fileEntry,
  importAll,
  never,
  rootOf,
  type FilesFixture,
  pinsOf,
} from '../../../test/fakes/files/files-fixture.ts'
import { dropBlock } from '../../../test/fakes/upstream/drop-block.ts'
import { silentLog } from '../../base/log.ts'
import type { Source } from '../../content/source.ts'
import { createGarbageCollector } from './garbage-collector.ts'
import { countPins } from '../pins/count-pins.ts'

const quiet = () => {}
const hourMs = 3_600_000

function createCollected(t: TestContext, fixture: FilesFixture, intervalMs: number | null = null) {
  const { rows, writer, deleteBlocks, segments, clock, store, obtain } = fixture
  const collector = createGarbageCollector({
    rows,
    writer,
    deleteBlocks,
    segments,
    countPins: (signal) =>
      countPins({ store, rows, obtain, blocksMax: 1000, log: silentLog }, signal),
    intervalMs,
    clock,
    log: silentLog,
  })
  t.after(() => collector.stop())
  return collector
}

const blocksOf = ({ database }: FilesFixture) =>
  database.getValue<number>('SELECT count(*) FROM block') ?? 0

async function addTree(
  fixture: FilesFixture,
  account: string,
  parts: readonly string[],
  pin = true,
) {
  const entries = parts.map((part, index) => fileEntry(`d/${index}`, part))
  return rootOf(await importAll(fixture.files, entries, { pin }, account)).cid
}

async function readAll({ files }: FilesFixture, root: CID): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { cid } of files.list(root, atOnce, never)) {
    const { chunks } = await files.open(cid, { offset: 0n, length: null }, atOnce, never)
    texts.push((await bytesOf(chunks)).toString())
  }
  return texts
}

test('a collection deletes unreferenced blocks and no others', async (t) => {
  const fixture = createFilesFixture(t)
  const { files } = fixture
  const collector = createCollected(t, fixture)
  const shared = await addTree(fixture, 'alice', ['one', 'two'])
  const own = await addTree(fixture, 'bob', ['two', 'three'])
  await files.pin('bob', { cid: shared, mode: 'recursive', name: '' }, atOnce, quiet, never)
  assert.deepEqual(await collector.collect(), { blocks: 0, bytes: 0 })
  await files.unpin('alice', shared, true)
  assert.equal((await files.stored('alice')).blocks, 0)
  assert.deepEqual(await collector.collect(), { blocks: 0, bytes: 0 })
  await files.unpin('bob', shared, true)
  // The directory and `one`; `two` is in the other tree too.
  assert.equal((await collector.collect())?.blocks, 2)
  assert.deepEqual(await readAll(fixture, own), ['two', 'three'])
  await files.unpin('bob', own, true)
  assert.equal((await collector.collect())?.blocks, 3)
  assert.equal(blocksOf(fixture), 0)
})

test('what was added without a pin is kept a day, counted, and then gone', async (t) => {
  const fixture = createFilesFixture(t)
  const { files, clock } = fixture
  const collector = createCollected(t, fixture)
  const root = await addTree(fixture, 'alice', ['loose'], false)
  assert.equal((await files.stored('alice')).blocks, 2)
  clock.advance(24 * hourMs - 1)
  await collector.collect()
  assert.deepEqual(await readAll(fixture, root), ['loose'])
  clock.advance(1)
  assert.equal((await collector.collect())?.blocks, 2)
  assert.equal((await files.stored('alice')).blocks, 0)
  assert.equal(blocksOf(fixture), 0)
})

test('a pin over unpinned content keeps it when its time is over', async (t) => {
  const fixture = createFilesFixture(t)
  const { files, clock } = fixture
  const collector = createCollected(t, fixture)
  const root = await addTree(fixture, 'alice', ['a', 'b'], false)
  await files.pin('alice', { cid: root, mode: 'recursive', name: '' }, atOnce, quiet, never)
  const { blocks } = await files.stored('alice')
  clock.advance(25 * hourMs)
  await collector.collect()
  assert.deepEqual(await readAll(fixture, root), ['a', 'b'])
  assert.equal((await files.stored('alice')).blocks, blocks)
})

test('pins of a version without storage accounting are counted before the first sweep', async (t) => {
  const fixture = createFilesFixture(t)
  const { database, files } = fixture
  const roots = [
    await addTree(fixture, 'alice', ['one', 'two']),
    await addTree(fixture, 'alice', ['two', 'three']),
  ]
  const before = await files.stored('alice')
  // As an earlier version left it: pins without rows of their closures.
  database.run('UPDATE pin SET root = NULL')
  for (const table of ['root', 'closure', 'charge', 'holding', 'account_storage', 'releasing']) {
    database.run(`DELETE FROM ${table}`)
  }
  // Existing pins are counted even if they exceed the account's quota.
  database.run(`UPDATE account SET settings = '{"filesStoredBytes":1}'`)
  const collector = createCollected(t, fixture)
  assert.deepEqual(await collector.collect(), { blocks: 0, bytes: 0 })
  assert.deepEqual(await files.stored('alice'), before)
  await assert.rejects(addTree(fixture, 'alice', ['one more']), { code: 'over_quota' })
  assert.deepEqual(await readAll(fixture, roots[0] as CID), ['one', 'two'])
})

test('nothing is swept while a pin can not be counted', async (t) => {
  const fixture = createFilesFixture(t)
  const { database } = fixture
  const root = await addTree(fixture, 'alice', ['one'], false)
  database.run('DELETE FROM lease')
  // Cairn does not know the links of such a node.
  const { bytes } = CID.createV1(0x9999, root.multihash)
  const sql = `INSERT INTO pin (account_id, cid, mode, created) VALUES ('alice', ?, 'recursive', 0)`
  database.run(sql, [bytes])
  const collector = createCollected(t, fixture)
  assert.equal(await collector.collect(), null)
  assert.equal(blocksOf(fixture), 2)
})

test('the schedule collects by itself, and leaves what came within the hour', async (t) => {
  const fixture = createFilesFixture(t)
  const { files, clock, database } = fixture
  const collector = createCollected(t, fixture, 2 * hourMs)
  const root = await addTree(fixture, 'alice', ['gone'])
  await files.unpin('alice', root, true)
  database.run('UPDATE block SET created = ?', [clock.now() + 2 * hourMs])
  clock.advance(2 * hourMs)
  await collector.settle()
  assert.equal(blocksOf(fixture), 2)
  clock.advance(2 * hourMs)
  await collector.settle()
  assert.equal(blocksOf(fixture), 0)
})

test('a collector that is stopped leaves the rest for the next one', async (t) => {
  const fixture = createFilesFixture(t)
  const { files } = fixture
  const first = createCollected(t, fixture)
  const root = await addTree(fixture, 'alice', ['gone'])
  await files.unpin('alice', root, true)
  const collecting = first.collect()
  await Promise.allSettled([first.stop(), collecting])
  const second = createCollected(t, fixture)
  await second.collect()
  assert.equal(blocksOf(fixture), 0)
})

test('a pin that was given up goes on where it stopped, whatever was collected meanwhile', async (t) => {
  const origin = createFilesFixture(t)
  const bytes = new Uint8Array(60).map((_, index) => index)
  const root = rootOf(
    await importAll(origin.files, [fileEntry('f', bytes)], {
      chunker: { kind: 'size', bytes: 10 },
    }),
  ).cid
  let left = 4
  const requested: string[] = []
  const source: Source = {
    name: 'origin',
    async fetch({ ref }, offer) {
      if (left === 0) return
      left -= 1
      requested.push(Buffer.from(ref.hash).toString('hex'))
      const found = origin.store.peek(ref)
      if (found !== null) offer([{ ref, bytes: found }])
    },
  }
  const fixture = createFilesFixture(t, { sources: [source] })
  const { files, clock } = fixture
  const collector = createCollected(t, fixture)
  const pin = { cid: root, mode: 'recursive', name: '' } as const
  const abort = new AbortController()
  const first = files.pin(
    'alice',
    pin,
    atOnce,
    (blocks) => blocks === 4 && abort.abort(),
    abort.signal,
  )
  await assert.rejects(first)
  assert.deepEqual(await pinsOf(files, 'alice'), [])
  assert.equal((await files.stored('alice')).blocks, 4)
  await collector.collect()
  const before = requested.length
  left = 100
  await files.pin('alice', pin, atOnce, quiet, never)
  assert.equal(requested.length - before, 7 - before)
  assert.equal((await files.stored('alice')).blocks, 7)
  // The blocks that the failed try stored now belong to the pin, and are released with it.
  clock.advance(1)
  await files.unpin('alice', root, true)
  assert.equal((await files.stored('alice')).blocks, 0)
})

test('a second pin of stored content walks no block', async (t) => {
  const fixture = createFilesFixture(t)
  const { files, store } = fixture
  const root = await addTree(fixture, 'alice', ['one', 'two'])
  const progress: number[] = []
  const reads: Uint8Array[] = []
  const { peek } = store
  store.peek = (ref) => {
    reads.push(ref.hash)
    return peek(ref)
  }
  const pin = { cid: root, mode: 'recursive', name: 'mine' } as const
  await files.pin('bob', pin, atOnce, (blocks) => void progress.push(blocks), never)
  assert.deepEqual(progress, [3])
  assert.deepEqual(reads, [])
  assert.deepEqual(await files.stored('bob'), await files.stored('alice'))
})

test('a pinned block with a corrupt copy is readable again after a valid copy arrives', async (t) => {
  const fixture = createFilesFixture(t)
  const { files, store, database } = fixture
  const collector = createCollected(t, fixture)
  const root = await addTree(fixture, 'alice', ['one', 'two'])
  const lost = await addTree(fixture, 'bob', ['one'])
  const [entry] = await Array.fromAsync(files.list(lost, atOnce, never))
  assert.ok(entry)
  const ref = { kind: 'dag-block', hash: entry.cid.multihash.bytes } as const
  const idOf = () => database.getValue('SELECT id FROM block WHERE hash = ?', [ref.hash])
  const before = [idOf(), await files.stored('alice'), await files.stored('bob')]
  await dropBlock(fixture, ref.hash)
  assert.equal(await store.has(ref), false)
  assert.equal(store.peek(ref), null)
  // A pin of an incomplete DAG is walked, which finds the missing block.
  const pin = { cid: root, mode: 'recursive', name: '' } as const
  await assert.rejects(files.pin('bob', pin, atOnce, quiet, never), /not found locally/)
  await collector.collect()
  await addTree(fixture, 'bob', ['one'])
  assert.deepEqual([idOf(), await files.stored('alice'), await files.stored('bob')], before)
  await files.unpin('bob', lost, true)
  await collector.collect()
  assert.deepEqual(await readAll(fixture, root), ['one', 'two'])
})
