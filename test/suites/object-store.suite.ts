// The guarantees of every ObjectStore (src/content/objects/object-store.ts). The test file of an implementation calls
// `objectStoreSuite` with a function that opens an empty store.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ObjectStore, ObjectNotFound } from '../../src/content/objects/object-store.ts'
import { noise } from '../fakes/seeded.ts'

const never = new AbortController().signal
const mebibyte = 1024 * 1024
const readBytes = 7_000_000

export function objectStoreSuite(
  name: string,
  open: (t: TestContext) => Promise<ObjectStore>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options
  const promise = (
    title: string,
    run: (store: ObjectStore, t: TestContext) => Promise<void>,
  ): void => {
    test(`${name}: ${title}`, { skip }, async (t) => {
      const store = await open(t)
      t.after(() => store.close())
      await run(store, t)
    })
  }

  promise('an object is read in any range, and no byte past its end', async (store) => {
    const body = noise(name, 300_000)
    await store.put('segments/1', body, never)
    for (const [at, bytes] of [
      [0, 300_000],
      [0, 1],
      [299_999, 1],
      [1000, 200_000],
      [5, 0],
    ] as const) {
      assert.ok(equal(await store.read('segments/1', at, bytes, never), body, at, bytes))
    }
    assert.ok(equal(await store.read('segments/1', 10, 100, never, 200), body, 10, 200))
    assert.ok(equal(await store.read('segments/1', 299_000, 100, never, 9000), body, 299_000, 1000))
    for (const [at, bytes] of [
      [0, 300_001],
      [299_999, 2],
      [300_000, 1],
      [900_000, 10],
    ] as const) {
      await assert.rejects(store.read('segments/1', at, bytes, never), ObjectNotFound)
    }
    await assert.rejects(store.read('segments/2', 0, 1, never), ObjectNotFound)
  })

  promise('an empty object exists', async (store) => {
    await store.put('segments/1', new Uint8Array(0), never)
    assert.deepEqual(await listAll(store, ''), ['segments/1'])
  })

  promise('removed objects are gone, and absent ones are no error', async (store) => {
    for (const each of ['a/1', 'a/2', 'b/1']) await store.put(each, noise(each, 10), never)
    await store.remove(['a/1', 'a/9', 'b/1'], never)
    await store.remove([], never)
    await assert.rejects(store.read('a/1', 0, 10, never), ObjectNotFound)
    assert.deepEqual(await listAll(store, ''), ['a/2'])
  })

  promise('objects are listed by prefix, in order, from behind a name', async (store) => {
    const names = ['s/1', 's/10', 's/2', 't/1']
    await Promise.all(names.map((each) => store.put(each, noise(each, 10), never)))
    assert.deepEqual(await listAll(store, 's/'), ['s/1', 's/10', 's/2'])
    assert.deepEqual(await listAll(store, 's/', 's/1'), ['s/10', 's/2'])
    assert.deepEqual(await listAll(store, 'x/'), [])
  })

  promise('an object written in parts is read as one, whatever its pieces', async (store) => {
    const cases = [
      ['empty', 0, 1],
      ['small', 100, 7],
      ['one part', 8 * mebibyte, mebibyte],
      ['many parts', 20 * mebibyte + 7, 3 * mebibyte + 1],
    ] as const
    for (const [title, bytes, pieceBytes] of cases) {
      const body = noise(title, bytes)
      const writer = store.putParts(`segments/${bytes}`)
      for (let at = 0; at < bytes; at += pieceBytes) {
        const piece = Uint8Array.from(body.subarray(at, at + pieceBytes))
        await writer.write(piece)
        piece.fill(0)
      }
      assert.equal(writer.bytes, bytes)
      assert.equal((await listAll(store, `segments/${bytes}`)).length, 0)
      await writer.end()
      await writer.abort()
      for (let at = 0; at < bytes; at += readBytes) {
        const length = Math.min(readBytes, bytes - at)
        const found = await store.read(`segments/${bytes}`, at, length, never)
        assert.ok(equal(found, body, at, length), title)
      }
      await assert.rejects(store.read(`segments/${bytes}`, bytes, 1, never), ObjectNotFound)
    }
  })

  promise('an aborted object does not exist, at any size', async (store) => {
    for (const bytes of [10, 20 * mebibyte]) {
      const writer = store.putParts('segments/1')
      await writer.write(noise('aborted', bytes))
      await writer.abort()
      await writer.abort()
      await assert.rejects(writer.write(new Uint8Array(1)))
      await assert.rejects(writer.end())
      assert.deepEqual(await listAll(store, ''), [])
    }
  })

  promise('objects in parts go on while others wait for memory', async (store) => {
    const bodies = Array.from({ length: 20 }, (_, index) => noise(`part ${index}`, 100_000))
    const writers = bodies.map((_, index) => store.putParts(`segments/${index}`))
    await Promise.all(
      bodies.map(async (body, index) => {
        const writer = writers[index]
        await writer?.write(body)
        await writer?.end()
      }),
    )
    for (const [index, body] of bodies.entries()) {
      assert.ok(equal(await store.read(`segments/${index}`, 0, 100_000, never), body, 0, 100_000))
    }
  })

  promise('an aborted call throws the reason of its signal', async (store) => {
    const caller = new AbortController()
    caller.abort(new Error('the client left'))
    await assert.rejects(store.put('segments/1', noise('x', 10), caller.signal), /client left/)
    await assert.rejects(store.read('segments/1', 0, 1, caller.signal), /client left/)
    assert.deepEqual(await listAll(store, ''), [])
  })
}

async function listAll(store: ObjectStore, prefix: string, after = ''): Promise<string[]> {
  const names: string[] = []
  for await (const name of store.list(prefix, after, never)) names.push(name)
  return names
}

function equal(found: Uint8Array, body: Uint8Array, at: number, bytes: number): boolean {
  return found.length === bytes && Buffer.from(body.subarray(at, at + bytes)).equals(found)
}
