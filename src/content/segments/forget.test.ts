// Deletion of blocks while callers put them, and the rows of a commit that read its batch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leafBlockBytes } from '../../codec/ipld/leaf-frame.ts'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import { addLeaves, createSegmentFixture } from '../../../test/fakes/files/segment-fixture.ts'
import { item } from '../../../test/suites/block-store.suite.ts'

test('a block without charges is deleted, a charged one stays', async (t) => {
  const { store, db } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const [a, b] = [item('a'), item('b')]
  await store.put([a, b])
  db.exec(
    'INSERT INTO charge (block, storage, roots, size) SELECT id, 1, 1, size FROM block WHERE id = 2',
  )
  assert.equal(await store.delete([a.ref.hash, b.ref.hash]), 1)
  assert.equal(store.peek(a.ref), null)
  assert.deepEqual(store.peek(b.ref), b.bytes)
  assert.equal(await store.delete([a.ref.hash]), 0)
})

test('blocks that an open batch depends on are not deleted, listed in memory or in its table', async (t) => {
  const { store, db } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const [a, b] = [item('a'), item('b')]
  await store.put([a, b])
  const batch = store.batch()
  await batch.put([a])
  assert.equal(await store.delete([a.ref.hash]), 0)
  // More than is listed in memory, so that the table is used.
  await batch.put([b])
  await batch.put(Array.from({ length: 5000 }, (_, index) => item(`more ${index}`)))
  assert.ok((db.getValue<number>('SELECT count(*) FROM staged') ?? 0) > 2000)
  assert.equal(await store.delete([a.ref.hash, b.ref.hash]), 0)
  await batch.commit()
  assert.deepEqual(store.peek(a.ref), a.bytes)
  assert.equal(await store.delete([a.ref.hash, b.ref.hash]), 2)
  const lateBatch = store.batch()
  await lateBatch.put([item('more 1')])
  await lateBatch.discard()
  assert.equal(await store.delete([item('more 1').ref.hash]), 1)
})

test('a block put while it is being forgotten is there afterwards', async (t) => {
  const { store } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const a = item('a')
  await store.put([a])
  const batch = store.batch()
  const forgetting = store.delete([a.ref.hash])
  await Promise.resolve()
  const [forgotten] = await Promise.all([forgetting, store.put([a]), batch.put([a])])
  assert.deepEqual(store.peek(a.ref), a.bytes, `forgotten: ${forgotten}`)
  await batch.commit()
  assert.deepEqual(store.peek(a.ref), a.bytes)
})

test('a block put while its forgetting waits for its turn stays', async (t) => {
  const { store } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const [a, b] = [item('a'), item('b')]
  await store.put([a, b])
  const others = Array.from({ length: 50 }, () => store.delete([item('none').ref.hash]))
  const forgetting = store.delete([a.ref.hash, b.ref.hash])
  await store.put([a])
  assert.equal(await forgetting, 1)
  await Promise.all(others)
  assert.deepEqual(store.peek(a.ref), a.bytes)
  assert.equal(store.peek(b.ref), null)
  assert.equal(await store.delete([a.ref.hash]), 1)
})

test('a batch that counted on a copy which went to quarantine fails, and succeeds when tried again', async (t) => {
  const { store } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const a = item('a')
  await store.put([a])
  const batch = store.batch()
  await batch.put([a])
  await store.quarantine(a.ref)
  await assert.rejects(batch.commit())
  await batch.discard()
  const again = store.batch()
  await again.put([a])
  await again.commit()
  assert.deepEqual(store.peek(a.ref), a.bytes)
})

test('rows of a commit see the blocks of each tree, including blocks that existed before', async (t) => {
  const { store, db } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const content = new Uint8Array(300_000).fill(1)
  await addLeaves(store, content)
  await store.put([item('here')])
  db.exec('CREATE TABLE seen (tree INTEGER, block INTEGER, size INTEGER)')
  const batch = store.batch()
  await batch.put([item('here'), item('new')], 1)
  await batch.put([item('new')], 2)
  const writer = batch.leaves({ bytes: 262_144, form: 'dag-pb' }, () => {}, 2)
  await writer.write(content)
  await writer.end()
  const sql = `INSERT INTO seen SELECT tree, block.id, staged.size FROM staged JOIN block USING (hash)
    WHERE batch = ?`
  assert.deepEqual(await batch.commit([{ sql, parameters: [batch.id] }]), [5])
  assert.deepEqual(db.all('SELECT tree, count(*) AS blocks FROM seen GROUP BY tree'), [
    { tree: 1, blocks: 2 },
    { tree: 2, blocks: 3 },
  ])
  assert.equal(db.getValue('SELECT count(*) FROM staged'), 0)
  const sizes = leafBlockBytes(262_144) + leafBlockBytes(37_856) + item('new').bytes.length
  assert.equal(db.getValue('SELECT sum(size) FROM seen WHERE tree = 2'), sizes)
})
