// Reading, resolving, waiting and pinning, on a real store.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
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
} from '../../test/fakes/files/files-fixture.ts'
import { dropBlock } from '../../test/fakes/upstream/drop-block.ts'
import { cidOf, dagPbCodec } from '../codec/ipld/cid.ts'
import { encodeDagNode } from '../codec/ipld/dag-pb.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../codec/ipld/unixfs.ts'
import type { Source } from '../content/source.ts'
import type { Files } from './files.ts'

const missing = CID.parse('Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV')
const whole = { offset: 0n, length: null }
const notHere = `block was not found locally (offline): ipld: could not find ${missing.toString()}`
const quiet = () => {}

function refOf(cid: CID) {
  return { kind: 'dag-block', hash: cid.multihash.bytes } as const
}

async function keepNode(store: FilesFixture['store'], block: Uint8Array): Promise<CID> {
  const cid = cidOf(0, dagPbCodec, multihashOf('sha2-256', block))
  await store.put([{ ref: refOf(cid), bytes: block }])
  return cid
}

async function addText(files: Files, text: string, accountId = 'alice'): Promise<CID> {
  return rootOf(await importAll(files, [fileEntry('f', text)], {}, accountId)).cid
}

test('any range of a file is the same range of its bytes', async (t) => {
  const { files } = createFilesFixture(t)
  const bytes = new Uint8Array(1000).map((_, index) => index * 7)
  const roots = []
  for (const options of [
    { chunker: { kind: 'size', bytes: 10 }, maxFileLinks: 3 },
    { chunker: { kind: 'size', bytes: 33 }, maxFileLinks: 174, cidVersion: 1, rawLeaves: true },
    { chunker: { kind: 'size', bytes: 64 }, maxFileLinks: 2, inline: true, inlineLimit: 70 },
  ] as const) {
    roots.push(rootOf(await importAll(files, [fileEntry('f', bytes)], options)).cid)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...roots),
      fc.integer({ min: 0, max: 1100 }),
      fc.option(fc.integer({ min: 0, max: 1100 })),
      async (root, offset, length) => {
        const range = { offset: BigInt(offset), length: length === null ? null : BigInt(length) }
        const { size, chunks } = await files.open(root, range, atOnce, never)
        assert.equal(size, 1000n)
        const expected = bytes.subarray(offset, length === null ? 1000 : offset + length)
        assert.ok((await bytesOf(chunks)).equals(expected))
      },
    ),
    { numRuns: 60 },
  )
})

test('a range touches only the blocks it needs', async (t) => {
  const { files, store, database } = createFilesFixture(t)
  const bytes = new Uint8Array(100).map((_, index) => index)
  const root = rootOf(
    await importAll(files, [fileEntry('f', bytes)], { chunker: { kind: 'size', bytes: 10 } }),
  ).cid
  const first = rootOf(
    await importAll(files, [fileEntry('c', bytes.subarray(0, 10))], { pin: false }),
  ).cid
  await dropBlock({ store, database }, first.multihash.bytes)
  const { chunks } = await files.open(root, { offset: 10n, length: null }, atOnce, never)
  assert.deepEqual([...(await bytesOf(chunks))], [...bytes.subarray(10)])
  await assert.rejects(files.open(root, whole, atOnce, never), { code: 'command_failed' })
})

test('a corrupt block ends the stream with an error before any wrong byte', async (t) => {
  const { files, store, database } = createFilesFixture(t)
  const bytes = new Uint8Array(614_400).map((_, index) => index % 251)
  const root = rootOf(await importAll(files, [fileEntry('f', bytes)])).cid
  const middle = rootOf(
    await importAll(files, [fileEntry('m', bytes.subarray(262_144, 524_288))]),
  ).cid
  // Otherwise the cached result of an earlier verification would be used.
  await store.quarantine(refOf(middle))
  // Other bytes of the same length: the range shifted by one byte.
  database.run('UPDATE block SET file = -file, at = at + 1 WHERE hash = ?', [
    middle.multihash.bytes,
  ])
  const { chunks } = await files.open(root, whole, atOnce, never)
  const seen: Uint8Array[] = []
  await assert.rejects(async () => {
    for await (const chunk of chunks) seen.push(chunk)
  })
  assert.ok(Buffer.concat(seen).equals(bytes.subarray(0, 262_144)))
})

test('a child of another size than its parent says ends the stream', async (t) => {
  const { files, store } = createFilesFixture(t)
  const child = await addText(files, 'hello')
  for (const claim of [4n, 6n]) {
    const data = encodeUnixfs({ type: 'file', fileSize: claim, blockSizes: [claim] })
    const links = [{ cid: child.bytes, name: '', size: 13n }]
    const root = await keepNode(store, encodeDagNode({ links, data }))
    await assert.rejects(files.open(root, whole, atOnce, never), /not as large as its parent says/)
  }
})

test('sizes that do not add up are refused', async (t) => {
  const { files, store } = createFilesFixture(t)
  const child = await addText(files, 'hello')
  const links = [{ cid: child.bytes, name: '', size: 13n }]
  const unequal = encodeUnixfs({ type: 'file', fileSize: 9n, blockSizes: [5n] })
  const none = encodeUnixfs({ type: 'file', fileSize: 5n, blockSizes: [] })
  for (const data of [unequal, none]) {
    const root = await keepNode(store, encodeDagNode({ links, data }))
    await assert.rejects(files.size(root, atOnce, never), /malformed file node/)
  }
})

test('a few blocks that describe 2^40 bytes are streamed lazily', async (t) => {
  const { files, store } = createFilesFixture(t)
  let child = await addText(files, 'x'.repeat(1024))
  let size = 1024n
  for (let level = 0; level < 30; level += 1) {
    const data = encodeUnixfs({ type: 'file', fileSize: size * 2n, blockSizes: [size, size] })
    const link = { cid: child.bytes, name: '', size }
    child = await keepNode(store, encodeDagNode({ links: [link, link], data }))
    size *= 2n
  }
  const opened = await files.open(child, { offset: size - 5n, length: null }, atOnce, never)
  assert.equal(opened.size, 1n << 40n)
  assert.equal((await bytesOf(opened.chunks)).toString(), 'xxxxx')
})

test('a symbolic link is read as its target, whole and in part', async (t) => {
  const { files } = createFilesFixture(t)
  const link = { kind: 'symlink', path: 'l', target: 'a/é' } as const
  const { cid } = rootOf(await importAll(files, [link]))
  const read = async (range: typeof whole | { offset: bigint; length: bigint }) =>
    (await bytesOf((await files.open(cid, range, atOnce, never)).chunks)).toString()
  assert.equal(await read(whole), 'a/é')
  assert.equal(await read({ offset: 1n, length: 3n }), '/é')
  assert.equal(await files.size(cid, atOnce, never), 4n)
})

test('what is no file has a text of its own', async (t) => {
  const { files, store } = createFilesFixture(t)
  const open = (cid: CID) => files.open(cid, whole, atOnce, never)
  const root = rootOf(await importAll(files, [{ kind: 'directory', path: 'd' }])).cid
  await assert.rejects(open(root), { message: 'this dag node is a directory' })
  const other = cidOf(1, 0x71, multihashOf('sha2-256', Uint8Array.of(0xa0)))
  await store.put([{ ref: refOf(other), bytes: Uint8Array.of(0xa0) }])
  await assert.rejects(open(other), { message: 'unknown node type' })
})

test('paths walk plain and sharded directories', async (t) => {
  const { files } = createFilesFixture(t)
  const long = 'a long name that makes the directory pass the threshold for sharding '.repeat(4)
  const entries = Array.from({ length: 900 }, (_, index) =>
    fileEntry(`d/e/${long}${index}`, `file ${index}`),
  )
  const root = rootOf(await importAll(files, entries)).cid.toString()
  for (const index of [0, 17, 899]) {
    const path = `ipfs://${root}/./e//${long}${index}`
    const found = await files.resolve(path, atOnce, never)
    const { chunks } = await files.open(found, whole, atOnce, never)
    assert.equal((await bytesOf(chunks)).toString(), `file ${index}`)
  }
  const shard = (await files.resolve(`${root}/e`, atOnce, never)).toString()
  await assert.rejects(files.resolve(`${root}/e/nope`, atOnce, never), {
    code: 'command_failed',
    message: `no link named "nope" under ${shard}`,
  })
  await assert.rejects(files.size(CID.parse(shard), atOnce, never), /is a directory/)
})

test('content is read by multihash: v0 and v1 name the same block', async (t) => {
  const { files } = createFilesFixture(t)
  const cid = await addText(files, 'hello\n')
  assert.equal(await files.size(cid.toV1(), atOnce, never), 6n)
})

test('an identity CID is its own block', async (t) => {
  const { files } = createFilesFixture(t)
  const cid = CID.parse('bafkqaedknncdsodknncdsnzvnbvuioak')
  const { chunks } = await files.open(cid, whole, atOnce, never)
  assert.equal((await bytesOf(chunks)).toString(), 'jkD98jkD975hkD8\n')
})

test('missing content is refused at once offline, and when no source could have it', async (t) => {
  const { files } = createFilesFixture(t)
  const offline = { offline: true, timeoutMs: 1000 }
  const expected = { code: 'command_failed', message: notHere }
  await assert.rejects(files.open(missing, whole, offline, never), expected)
  await assert.rejects(files.open(missing, whole, atOnce, never), expected)
  const pin = { cid: missing, mode: 'recursive', name: '' } as const
  await assert.rejects(files.pin('alice', pin, atOnce, quiet, never), {
    message: `pin: ${notHere}`,
  })
  assert.deepEqual(await pinsOf(files, 'alice'), [])
})

/** Has no blocks. */
const empty: Source = { name: 'empty', fetch: async () => {} }

test('without sources a time limit is not waited out: nothing could come', async (t) => {
  const { files } = createFilesFixture(t)
  const opening = files.size(missing, { offline: false, timeoutMs: 600_000 }, never)
  await assert.rejects(opening, { code: 'command_failed', message: notHere })
})

test('a time limit is waited out, then it is a deadline', async (t) => {
  const { files, clock } = createFilesFixture(t, { sources: [empty] })
  const opening = files.size(missing, { offline: false, timeoutMs: 200 }, never)
  const rejected = assert.rejects(opening, {
    code: 'deadline',
    message: 'context deadline exceeded',
  })
  await advanceUntil(t, clock, opening, 100)
  await rejected
})

test('a local add of a block wakes the reads that wait for it', async (t) => {
  const { files } = createFilesFixture(t, { sources: [empty] })
  const cid = CID.parse('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
  const size = files.size(cid, { offline: false, timeoutMs: 1000 }, never)
  await addText(files, 'hello\n', 'bob')
  assert.equal(await size, 6n)
})

test('a block that is added while sources are asked ends the wait for it', async (t) => {
  const requested = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const slow: Source = {
    name: 'slow',
    async fetch() {
      requested.resolve()
      await answered.promise
    },
  }
  const { files } = createFilesFixture(t, { sources: [slow] })
  const cid = CID.parse('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
  const size = files.size(cid, { offline: false, timeoutMs: 1000 }, never)
  await requested.promise
  await addText(files, 'hello\n', 'bob')
  answered.resolve()
  assert.equal(await size, 6n)
})

test('more waiting reads than the limit are refused', async (t) => {
  const { files } = createFilesFixture(t, { sources: [empty], limits: { waitersMax: 1 } })
  const abort = new AbortController()
  const patience = { offline: false, timeoutMs: 1000 }
  const first = files.size(missing, patience, abort.signal)
  const left = assert.rejects(first)
  await new Promise(setImmediate)
  await assert.rejects(files.size(missing, patience, never), { code: 'overloaded' })
  abort.abort()
  await left
})

test('a pin of content from a source is complete in the store with its row', async (t) => {
  const origin = createFilesFixture(t)
  const bytes = new Uint8Array(50).map((_, index) => index)
  const root = rootOf(
    await importAll(origin.files, [fileEntry('d/f', bytes)], {
      chunker: { kind: 'size', bytes: 10 },
    }),
  ).cid
  const source: Source = {
    name: 'origin',
    async fetch({ ref }, offer) {
      const found = origin.store.peek(ref)
      if (found !== null) offer([{ ref, bytes: found }])
    },
  }
  const { files, store } = createFilesFixture(t, { sources: [source] })
  const counts: number[] = []
  const pin = { cid: root, mode: 'recursive', name: 'n' } as const
  await files.pin('alice', pin, atOnce, (blocks) => void counts.push(blocks), never)
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6, 7])
  assert.ok(await store.has(refOf(root)))
  const found = await files.resolve(`${root.toString()}/f`, { ...atOnce, offline: true }, never)
  const { chunks } = await files.open(found, whole, { ...atOnce, offline: true }, never)
  assert.deepEqual([...(await bytesOf(chunks))], [...bytes])
})

test('pins: a name is replaced, recursive wins over direct, never the other way', async (t) => {
  const { files } = createFilesFixture(t)
  const cid = rootOf(await importAll(files, [fileEntry('f', 'x')], { pin: false })).cid
  const pin = (mode: 'direct' | 'recursive', name: string) =>
    files.pin('alice', { cid, mode, name }, atOnce, quiet, never)
  const shown = async () =>
    (await pinsOf(files, 'alice')).map((each) => `${each.mode} ${each.name}`)
  await pin('direct', 'a')
  assert.deepEqual(await shown(), ['direct a'])
  await pin('recursive', 'b')
  assert.deepEqual(await shown(), ['recursive b'])
  await pin('recursive', '')
  assert.deepEqual(await shown(), ['recursive '])
  await assert.rejects(pin('direct', 'c'), {
    message: `pin: ${cid.toString()} already pinned recursively`,
  })
  await assert.rejects(files.unpin('alice', cid, false), {
    message: `${cid.toString()} is pinned recursively`,
  })
  await files.unpin('alice', cid, true)
  for (const recursive of [true, false]) {
    await assert.rejects(files.unpin('alice', cid, recursive), {
      message: 'not pinned or pinned indirectly',
    })
  }
  await pin('direct', '')
  await files.unpin('alice', cid, true)
  assert.deepEqual(await shown(), [])
})

test('a failed re-pin does not change the old pin', async (t) => {
  const fixture = createFilesFixture(t)
  const { files } = fixture
  const root = rootOf(await importAll(files, [fileEntry('d/f', 'x')], { pinName: 'old' })).cid
  await dropBlock(fixture, (await addText(files, 'x', 'bob')).multihash.bytes)
  const pin = { cid: root, mode: 'recursive', name: 'new' } as const
  await assert.rejects(files.pin('alice', pin, atOnce, quiet, never), /^Fault: pin: /)
  assert.equal((await pinsOf(files, 'alice'))[0]?.name, 'old')
})

test('two accounts share blocks, and an unpin by one does not change the pin of the other', async (t) => {
  const { files } = createFilesFixture(t)
  const cid = await addText(files, 'shared', 'alice')
  await addText(files, 'shared', 'bob')
  await files.unpin('alice', cid, true)
  assert.deepEqual(await pinsOf(files, 'alice'), [])
  assert.equal((await pinsOf(files, 'bob'))[0]?.cid.toString(), cid.toString())
  assert.equal(await files.size(cid, atOnce, never), 6n)
  await assert.rejects(files.unpin('alice', cid, true), /not pinned/)
})

test('v0 and v1 of one block are two pins, recursive ones listed first', async (t) => {
  const { files } = createFilesFixture(t)
  const cid = await addText(files, 'x')
  const pin = { cid: cid.toV1(), mode: 'direct', name: '' } as const
  await files.pin('alice', pin, atOnce, quiet, never)
  assert.deepEqual(
    (await pinsOf(files, 'alice')).map((each) => each.cid.toString()),
    [cid.toString(), cid.toV1().toString()],
  )
})

test('who seeks what lies below pins has only those walked that reach it', async (t) => {
  const { files } = createFilesFixture(t)
  const tree = async (name: string) => {
    const entries = [fileEntry(`${name}/x`, name), fileEntry(`${name}/y`, 'y')]
    return rootOf(await importAll(files, entries)).cid
  }
  const leaf = async (text: string) =>
    rootOf(await importAll(files, [fileEntry('x', text)], { pin: false })).cid
  const [rootA, rootB] = [(await tree('a')).toString(), (await tree('b')).toString()]
  const [leafA, leafB] = [await leaf('a'), await leaf('b')]
  const rootsOf = async (sought?: readonly CID[]) => {
    const roots = new Set<string>()
    for await (const { root } of files.indirect('alice', never, sought)) roots.add(root.toString())
    return [...roots].toSorted()
  }
  assert.deepEqual(await rootsOf([leafA]), [rootA])
  assert.deepEqual(await rootsOf([leafA, leafB.toV1()]), [rootA, rootB].toSorted())
  const absent = CID.parse('QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
  assert.deepEqual(await rootsOf([absent]), [])
  // An identity CID is in no closure, so every pin may reach it.
  assert.deepEqual(await rootsOf([CID.parse('bafkqaaa')]), [rootA, rootB].toSorted())
})

test('indirect pins are what lies below a root and is not pinned itself', async (t) => {
  const { files } = createFilesFixture(t)
  const root = rootOf(await importAll(files, [fileEntry('d/a', 'a'), fileEntry('d/b', 'b')])).cid
  await addText(files, 'b')
  const a = rootOf(await importAll(files, [fileEntry('a', 'a')], { pin: false })).cid
  const found: string[] = []
  for await (const each of files.indirect('alice', never)) {
    found.push(`${each.cid.toString()} ${each.root.toString()}`)
  }
  assert.deepEqual(found, [`${a.toString()} ${root.toString()}`])
  assert.equal((await files.indirect('bob', never)[Symbol.asyncIterator]().next()).done, true)
})

test('a pin of more blocks than the limit is refused', async (t) => {
  const { files } = createFilesFixture(t, { limits: { pinBlocksMax: 3 } })
  const root = rootOf(
    await importAll(files, [fileEntry('f', 'abcdefgh')], { chunker: { kind: 'size', bytes: 1 } }),
  ).cid
  const pin = { cid: root, mode: 'recursive', name: '' } as const
  await assert.rejects(files.pin('bob', pin, atOnce, quiet, never), /more than 3 blocks/)
})

/** Advances the clock once per turn of the event loop, until `settling` has settled. */
async function advanceUntil(
  t: TestContext,
  clock: FilesFixture['clock'],
  settling: Promise<unknown>,
  stepMs: number,
): Promise<void> {
  let settled = false
  const done = () => void (settled = true)
  settling.then(done, done)
  for (let turn = 0; !settled && turn < 1000; turn += 1) {
    await new Promise(setImmediate)
    clock.advance(stepMs)
  }
  t.diagnostic(`settled: ${settled}`)
}
