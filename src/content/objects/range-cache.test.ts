import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { noise } from '../../../test/fakes/seeded.ts'
import { createFolderObjects } from './folder-objects.ts'
import type { ObjectStore } from './object-store.ts'
import { chunkBytes, objectName, openRangeCache } from './range-cache.ts'

const never = new AbortController().signal
const quiet = (): void => {}
const mebibyte = 1024 * 1024

async function openFolder(t: TestContext, bytesMax: number) {
  const root = await mkdtemp(join(tmpdir(), 'cairn-ranges-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const folder = createFolderObjects(join(root, 'objects'))
  let reads = 0
  const objects: ObjectStore = {
    ...folder,
    read(...of) {
      reads += 1
      return folder.read(...of)
    },
  }
  const path = join(root, 'cache')
  return {
    objects,
    path,
    open: () => openRangeCache({ objects, path, bytesMax, log: quiet }),
    get reads() {
      return reads
    },
  }
}

test('a range is fetched once, also by concurrent readers and after a restart', async (t) => {
  const fixture = await openFolder(t, 64 * mebibyte)
  const body = noise('body', 2 * chunkBytes + 1000)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  const ranges = [
    [0, 100],
    [100, 5000],
    [chunkBytes - 10, 20],
    [0, body.length],
    [body.length - 1, 1],
  ] as const
  for (let round = 0; round < 2; round += 1) {
    const before = fixture.reads
    const found = await Promise.all(ranges.map(([at, bytes]) => cache.read(7, at, bytes, never)))
    for (const [index, [at, bytes]] of ranges.entries()) {
      assert.ok(Buffer.from(body.subarray(at, at + bytes)).equals(found[index] ?? Buffer.of()))
    }
    await cache.close()
    assert.equal(fixture.reads - before, round === 0 ? 3 : 0)
  }
  const { reads } = fixture
  const again = await fixture.open()
  assert.ok(Buffer.from(await again.read(7, 0, body.length, never)).equals(body))
  assert.equal(fixture.reads, reads)
  assert.ok(again.bytes > 2 * chunkBytes)
})

test('missing neighbours are fetched four at a time, in buffers that are not copied', async (t) => {
  const fixture = await openFolder(t, 64 * mebibyte)
  const body = noise('body', 10 * chunkBytes)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  await cache.read(7, 5 * chunkBytes, 10, never)
  const [wide, inside] = await Promise.all([
    cache.readParts(7, 100, body.length - 200, never),
    cache.readParts(7, 2 * chunkBytes, 10, never),
  ])
  assert.ok(Buffer.concat(wide).equals(body.subarray(100, body.length - 100)))
  assert.ok(Buffer.concat(inside).equals(body.subarray(2 * chunkBytes, 2 * chunkBytes + 10)))
  assert.equal(inside[0]?.buffer, wide[0]?.buffer)
  assert.deepEqual(
    wide.map((part) => part.length),
    [4 * chunkBytes - 100, chunkBytes, chunkBytes, 4 * chunkBytes - 100],
  )
  // Chunks 5, 0 to 3, 4, and 6 to 9.
  assert.equal(fixture.reads, 4)
  await cache.close()
  assert.equal((await readdir(fixture.path)).length, 10)
})

test('a reader that leaves a request of several chunks does not end it for another', async (t) => {
  const fixture = await openFolder(t, 64 * mebibyte)
  const body = noise('body', 4 * chunkBytes)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  const leaving = new AbortController()
  const left = cache.read(7, 0, body.length, leaving.signal)
  const stayed = cache.read(7, chunkBytes, 10, never)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  assert.ok(body.subarray(chunkBytes, chunkBytes + 10).equals(await stayed))
  await cache.close()
})

test('a chunk that is being written is read from memory', async (t) => {
  const fixture = await openFolder(t, 64 * mebibyte)
  const body = noise('body', chunkBytes)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  for (const at of [0, 1000, 2000]) {
    const found = await cache.read(7, at, 1000, never)
    assert.ok(Buffer.from(body.subarray(at, at + 1000)).equals(found))
  }
  assert.equal(fixture.reads, 1)
  const other = noise('other', chunkBytes)
  await fixture.objects.put(objectName(7), other, never)
  assert.ok(Buffer.from(await cache.read(7, 0, chunkBytes, never, true)).equals(other))
  await cache.close()
  assert.ok((await readFile(join(fixture.path, '7-0'))).equals(other))
})

test('the cache stays within its bytes; the chunk used last stays', async (t) => {
  const fixture = await openFolder(t, 3 * mebibyte)
  const body = noise('body', 10 * chunkBytes)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  for (let index = 0; index < 10; index += 1) {
    await cache.read(7, 0, 10, never)
    await cache.read(7, index * chunkBytes, 10, never)
    await cache.close()
  }
  assert.ok(cache.bytes <= 3 * mebibyte)
  const names = await readdir(fixture.path)
  assert.ok(names.length <= 3)
  assert.ok(names.includes('7-0') && names.includes('7-9'))
})

test('many small chunks are bounded in number', async (t) => {
  const fixture = await openFolder(t, mebibyte)
  const cache = await fixture.open()
  for (let file = 1; file <= 20; file += 1) {
    await fixture.objects.put(objectName(file), noise(`${file}`, 100), never)
    await cache.read(file, 0, 100, never)
    await cache.close()
  }
  assert.equal((await readdir(fixture.path)).length, 8)
})

test('a corrupt or short chunk is dropped by a second read', async (t) => {
  const fixture = await openFolder(t, 64 * mebibyte)
  const body = noise('body', 5000)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  await cache.read(7, 0, 5000, never)
  await cache.close()
  await writeFile(join(fixture.path, '7-0'), noise('other', 5000))
  assert.ok(!Buffer.from(await cache.read(7, 0, 5000, never)).equals(body))
  assert.ok(Buffer.from(await cache.read(7, 0, 5000, never, true)).equals(body))
  await cache.close()
  assert.ok((await readFile(join(fixture.path, '7-0'))).equals(body))
  await writeFile(join(fixture.path, '7-0'), body.subarray(0, 10))
  assert.ok(Buffer.from(await cache.read(7, 0, 5000, never)).equals(body))
  await cache.close()
})

test('a range behind the end of the object is an object that is gone', async (t) => {
  const fixture = await openFolder(t, 64 * mebibyte)
  await fixture.objects.put(objectName(7), noise('body', 5000), never)
  const cache = await fixture.open()
  await cache.read(7, 0, 10, never)
  await cache.close()
  await assert.rejects(cache.read(7, 4999, 2, never), { name: 'ObjectNotFound' })
  await assert.rejects(cache.read(8, 0, 1, never), { name: 'ObjectNotFound' })
})

test('without cache, nothing is written', async (t) => {
  const fixture = await openFolder(t, 0)
  const body = noise('body', 5000)
  await fixture.objects.put(objectName(7), body, never)
  const cache = await fixture.open()
  assert.ok(Buffer.from(await cache.read(7, 10, 20, never)).equals(body.subarray(10, 30)))
  await assert.rejects(readdir(fixture.path))
})
