import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import {
  addLeaves,
  createSegmentFixture,
  readLeaves,
} from '../../../test/fakes/files/segment-fixture.ts'
import { item } from '../../../test/suites/block-store.suite.ts'
import { systemClock } from '../../base/clock.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import type { Verify } from '../ref.ts'
import { rebuildIndex } from './rebuild-index.ts'

const verify: Verify = ({ hash }, bytes) => verifyDagBlock(hash, bytes)

test('a lost index is rebuilt from the files alone, and a torn end loses only itself', async (t) => {
  const ops = createMemoryFileOps()
  const one = createSegmentFixture(t, { ops })
  const content = Buffer.alloc(9_000_001)
  for (let at = 0; at + 4 < content.length; at += 1024) content.writeUInt32LE(at, at)
  const leaves = await addLeaves(one.store, content)
  const items = Array.from({ length: 300 }, (_, index) => item(`block ${index}`))
  await one.store.put(items)
  await one.store.close()
  const [log] = [...ops.files.keys()].filter((name) => name.endsWith('.log'))
  const bytes = ops.files.get(log ?? '')
  assert.ok(log !== undefined && bytes !== undefined)
  // The last record lacks its last byte.
  ops.files.set(log, bytes.subarray(0, bytes.length - 1))

  const two = createSegmentFixture(t, { ops })
  const { db, writer, store } = two
  const parts = { db, writer, ops, path: '/store', verify, clock: systemClock }
  const count = leaves.length + items.length - 1
  assert.deepEqual(await rebuildIndex(parts), { blocks: count, added: count, mended: 0, bad: 0 })
  const pieces = await readLeaves(store, leaves)
  assert.deepEqual(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))), content)
  for (const { ref, bytes: whole } of items.slice(0, -1)) assert.deepEqual(store.peek(ref), whole)
  assert.equal(store.peek(items.at(-1)?.ref ?? item('').ref), null)
  assert.deepEqual(await rebuildIndex(parts), { blocks: count, added: 0, mended: 0, bad: 0 })
})

test('rows with wrong locations are fixed and keep their numbers; corrupt copies get no row', async (t) => {
  const ops = createMemoryFileOps()
  const { store, db, writer } = createSegmentFixture(t, { ops })
  const items = ['a', 'b', 'c'].map((text) => item(text.repeat(5000)))
  await store.put(items)
  const numbers = db.all('SELECT id, hash FROM block ORDER BY id')
  db.run('UPDATE block SET at = at + 1 WHERE id = 2')
  const [log] = [...ops.files.keys()].filter((name) => name.endsWith('.log'))
  const bytes = ops.files.get(log ?? '')
  assert.ok(bytes)
  const place = db.getValue<number>('SELECT at FROM block WHERE id = 3') ?? 0
  bytes[place + 10] = (bytes[place + 10] ?? 0) ^ 4
  const parts = { db, writer, ops, path: '/store', verify, clock: systemClock }
  assert.deepEqual(await rebuildIndex(parts), { blocks: 2, added: 0, mended: 1, bad: 1 })
  assert.deepEqual(db.all('SELECT id, hash FROM block ORDER BY id'), numbers)
  assert.deepEqual(store.peek(items[1]?.ref ?? item('').ref), items[1]?.bytes)
})

test('leaves of a file that was given back are no bad copies, those that a row still points to are', async (t) => {
  const ops = createMemoryFileOps()
  const { store, db, writer } = createSegmentFixture(t, { ops })
  const content = Buffer.alloc(1_000_001)
  for (let at = 0; at + 4 < content.length; at += 1024) content.writeUInt32LE(at, at)
  const leaves = await addLeaves(store, content)
  await store.close()
  for (const name of ops.files.keys()) if (name.endsWith('.ext')) ops.files.delete(name)
  const parts = { db, writer, ops, path: '/store', verify, clock: systemClock }
  const none = { blocks: 0, added: 0, mended: 0 }
  assert.deepEqual(await rebuildIndex(parts), { ...none, bad: leaves.length })
  // A collection deletes the rows before the file.
  db.run('DELETE FROM block')
  assert.deepEqual(await rebuildIndex(parts), { ...none, bad: 0 })
})
