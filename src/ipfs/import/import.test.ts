// Imports checked against the CID vectors, the npm importer, and the content of the store.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced, trickle } from 'ipfs-unixfs-importer/layout'
import {
  readCidVectors,
  vectorEntries,
  vectorOptions,
} from '../../../test/fakes/files/cid-vectors.ts'
import {
  bytesOf,
  atOnce,
  createFilesFixture,
  fileEntry,
  importAll,
  importDefaults,
  never,
  piecesOf,
  rootOf,
  streamOf,
  watchedStore,
  pinsOf,
} from '../../../test/fakes/files/files-fixture.ts'
import { decodeDagNode } from '../../codec/ipld/dag-pb.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { UploadEntry, ImportEvent, ImportOptions } from './upload-entry.ts'

// The large ones are tested over HTTP (test/api).
for (const vector of readCidVectors()) {
  if (vector.heavy === true || vector.type === 'block') continue
  test(`vector ${vector.id} has its CID and size`, async (t) => {
    const { files } = createFilesFixture(t)
    const options = vectorOptions(vector)
    const events = await importAll(files, vectorEntries(vector), { ...options, onlyHash: true })
    const { cid, size } = rootOf(events)
    assert.equal(cid.toString(), vector.cid)
    assert.equal(size, BigInt(vector.rpcSize))
  })
}

test('the vectors are there', () => {
  assert.ok(readCidVectors().length > 50)
})

test('random files have the CID that the npm importer gives them', async (t) => {
  const { files } = createFilesFixture(t)
  let seed = 1
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
  for (let round = 0; round < 24; round += 1) {
    const bytes = new Uint8Array(random(4000)).map((_, index) => index * round)
    const chunkBytes = 1 + random(300)
    const maxFileLinks = 2 + random(9)
    const cidVersion = random(2) === 0 ? 0 : 1
    const rawLeaves = random(2) === 0
    const trickles = round % 3 === 0
    const source = [{ path: 'f', content: bytes }]
    const blockstore = { put: async (cid: unknown) => cid }
    let expected = ''
    for await (const entry of importer(source, blockstore as never, {
      cidVersion,
      rawLeaves,
      reduceSingleLeafToSelf: !trickles,
      leafType: trickles ? 'raw' : 'file',
      chunker: fixedSize({ chunkSize: chunkBytes }),
      layout: trickles
        ? trickle({ layerRepeat: 4, maxChildrenPerNode: maxFileLinks })
        : balanced({ maxChildrenPerNode: maxFileLinks }),
      wrapWithDirectory: false,
    })) {
      expected = entry.cid.toString()
    }
    const chunker = { kind: 'size', bytes: chunkBytes } as const
    const layout = trickles ? 'trickle' : 'balanced'
    const options = { chunker, layout, maxFileLinks, cidVersion, rawLeaves } as const
    const entry: UploadEntry = {
      kind: 'file',
      path: 'f',
      content: piecesOf(bytes, 1 + random(500)),
    }
    const { cid } = rootOf(await importAll(files, [entry], options))
    assert.equal(cid.toString(), expected, JSON.stringify({ ...options, size: bytes.length }))
    const { size, chunks } = await files.open(cid, { offset: 0n, length: null }, atOnce, never)
    assert.equal(size, BigInt(bytes.length))
    assert.ok((await bytesOf(chunks)).equals(bytes))
  }
})

test('a directory of more links than it may have is sharded, in shards as wide as asked', async (t) => {
  const { files } = createFilesFixture(t)
  const names = Array.from({ length: 200 }, (_, n) => `file ${n}`)
  const { sharding } = importDefaults
  const imported = (over: Partial<ImportOptions['sharding']>) =>
    importAll(
      files,
      names.map((name) => fileEntry(`d/${name}`, name)),
      { sharding: { ...sharding, ...over } },
    ).then(rootOf)
  const flat = await imported({})
  assert.deepEqual((await imported({ linksMax: 200 })).cid, flat.cid)
  for (const fanoutBits of [3, 6, 8, 10]) {
    const source = names.map((name) => ({ path: `d/${name}`, content: Buffer.from(name) }))
    const blockstore = { put: async (cid: unknown) => cid }
    let expected = ''
    for await (const entry of importer(source, blockstore as never, {
      profile: 'unixfs-v0-2015',
      shardSplitThresholdBytes: 1,
      shardFanoutBits: fanoutBits,
    })) {
      expected = entry.cid.toString()
    }
    const fanout = 2 ** fanoutBits
    const { cid } = await imported({ linksMax: 199, fanout })
    assert.equal(cid.toString(), expected, `fanout ${fanout}`)
    assert.deepEqual((await imported({ bytes: 1, fanout })).cid, cid)
    assert.deepEqual((await imported({ bytes: 1, fanout, estimate: 'disabled' })).cid, flat.cid)
    for (const name of ['file 0', 'file 199']) {
      const file = await files.resolve(`${cid.toString()}/${name}`, atOnce, never)
      const { chunks } = await files.open(file, { offset: 0n, length: null }, atOnce, never)
      assert.equal((await bytesOf(chunks)).toString(), name)
    }
  }
})

test('the size of a directory is that of its block, framing included, where the profile says so', async (t) => {
  const { files } = createFilesFixture(t)
  const imported = async (bytes: number) => {
    const sharding = { ...importDefaults.sharding, estimate: 'block', bytes } as const
    return rootOf(
      await importAll(files, [fileEntry('d/a', 'x'), fileEntry('d/b', 'y')], { sharding }),
    )
  }
  const basic = await imported(1_000_000)
  const { length } = await files.block(basic.cid, atOnce, never)
  assert.deepEqual((await imported(length)).cid, basic.cid)
  assert.notDeepEqual((await imported(length - 1)).cid, basic.cid)
})

test('links are in the order of the bytes of their names, also outside the basic plane', async (t) => {
  const { files } = createFilesFixture(t)
  const names = ['\u{1f600}', '\uff5e', 'z', '\u00e9']
  const root = rootOf(
    await importAll(
      files,
      names.map((name) => fileEntry(`d/${name}`, '')),
    ),
  )
  const block = await files.block(root.cid, atOnce, never)
  assert.deepEqual(
    decodeDagNode(block).links.map(({ name }) => name),
    ['z', '\u00e9', '\uff5e', '\u{1f600}'],
  )
})

test('tiny chunks and wide directories give other work its turn', async (t) => {
  const { files } = createFilesFixture(t)
  const imports: readonly [string, () => Promise<unknown>][] = [
    [
      'chunks',
      () =>
        importAll(files, [fileEntry('f', 'x'.repeat(2000))], {
          chunker: { kind: 'size', bytes: 1 },
          onlyHash: true,
        }),
    ],
    [
      'names',
      () => {
        const entries = Array.from({ length: 6000 }, (_, n) =>
          fileEntry(`d/${n}${'n'.repeat(40)}`, ''),
        )
        return importAll(files, entries, { onlyHash: true })
      },
    ],
  ]
  for (const [what, run] of imports) {
    let turns = 0
    let done = false
    const others = () => {
      turns += 1
      if (!done) setImmediate(others)
    }
    setImmediate(others)
    await run()
    done = true
    assert.ok(turns >= 6, `${what}: ${turns} turns`)
  }
})

test('files come first, then directories, children before parents, the root last', async (t) => {
  const { files } = createFilesFixture(t)
  const entries = ['a/z/1', 'a/b/2', 'a/3', 'c', 'a/4'].map((path) => fileEntry(path, path))
  const names = (await importAll(files, entries)).map((event) => event.name)
  assert.deepEqual(names, ['a/z/1', 'a/b/2', 'a/3', 'a/b', 'a/z', 'a', 'c', 'a/4', 'a'])
})

test('an unnamed file is named by its CID, also inside a wrapper', async (t) => {
  const { files } = createFilesFixture(t)
  const cid = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'
  const [file, wrapper] = await importAll(files, [fileEntry('', 'hello\n')], { wrap: true })
  assert.equal(file?.name, cid)
  assert.equal(wrapper?.name, '')
  const path = `${rootOf([wrapper as ImportEvent]).cid.toString()}/${cid}`
  assert.equal((await files.resolve(path, atOnce, never)).toString(), cid)
})

test('progress is reported each 256 KiB and at the end, before the file is added', async (t) => {
  const { files } = createFilesFixture(t)
  const entries = [fileEntry('f', new Uint8Array(600_000)), fileEntry('e', '')]
  const events = await importAll(files, entries, { progress: true })
  assert.deepEqual(
    events.map((event) => `${event.name} ${event.kind === 'added' ? 'added' : event.bytes}`),
    ['f 262144', 'f 524288', 'f 600000', 'f added', 'e 0', 'e added'],
  )
})

test('with progress each top-level entry stays, whatever becomes of the next', async (t) => {
  const { files } = createFilesFixture(t)
  const entries = [fileEntry('a', 'a'), fileEntry('d/x', '1'), fileEntry('d/x', '2')]
  await assert.rejects(importAll(files, entries, { progress: true }), /already has entry/)
  assert.equal((await pinsOf(files, 'alice')).length, 1)
  await assert.rejects(importAll(files, entries, {}, 'bob'), /already has entry/)
  assert.equal((await pinsOf(files, 'bob')).length, 0)
})

test('empty directories are left out on demand, a top-level one stays', async (t) => {
  const { files } = createFilesFixture(t)
  const entries: UploadEntry[] = [
    { kind: 'directory', path: 'd/empty' },
    fileEntry('d/f', 'f'),
    { kind: 'directory', path: 'top' },
  ]
  const names = (await importAll(files, entries, { emptyDirs: false })).map((event) => event.name)
  assert.deepEqual(names, ['d/f', 'd', 'top'])
})

test('one name twice in one directory is refused', async (t) => {
  const { files } = createFilesFixture(t)
  await assert.rejects(importAll(files, [fileEntry('d/a', '1'), fileEntry('d/a', '2')]), {
    code: 'command_failed',
    message: 'directory already has entry by that name',
  })
})

test('without an entry the answer is that a file is expected', async (t) => {
  const { files } = createFilesFixture(t)
  await assert.rejects(importAll(files, []), { message: 'expected a file argument' })
})

test('an import that ends early for any reason leaves no blocks', async (t) => {
  const { files, database } = createFilesFixture(t)
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(6_000_000)
    throw new Error('the caller went away')
  }
  const entries: UploadEntry[] = [
    fileEntry('a', 'a'),
    { kind: 'file', path: 'b', content: failing() },
  ]
  await assert.rejects(importAll(files, entries), /went away/)

  const context = { accountId: 'alice', proceed: () => false, signal: never }
  const imported = files.import(streamOf([fileEntry('a', 'a')]), importDefaults, context)
  await assert.rejects(imported.next(), { code: 'command_failed' })

  for await (const _ of files.import(streamOf([fileEntry('a/b', 'a')]), importDefaults, context)) {
    break
  }
  for (const table of ['block', 'staged', 'pin']) {
    assert.deepEqual(database.get(`SELECT count(*) AS n FROM ${table}`), { n: 0 }, table)
  }
})

test('only-hash gives the same CID and keeps nothing', async (t) => {
  const { files, database } = createFilesFixture(t)
  const [hashed] = await importAll(files, [fileEntry('f', 'hello\n')], { onlyHash: true })
  assert.deepEqual(database.get('SELECT count(*) AS n FROM block'), { n: 0 })
  assert.deepEqual(await pinsOf(files, 'alice'), [])
  assert.deepEqual(await importAll(files, [fileEntry('f', 'hello\n')]), [hashed])
  assert.equal((await pinsOf(files, 'alice')).length, 1)
})

test('a large upload holds at most two groups in memory', async (t) => {
  let unreleased = 0
  let most = 0
  const { files } = createFilesFixture(t, {
    wrapStore: (store) => ({
      ...store,
      batch: () => ({
        ...store.batch(),
        async put(items: readonly UnverifiedItem[]) {
          const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0)
          unreleased += bytes
          most = Math.max(most, bytes)
          assert.equal(unreleased, bytes, 'one group is on its way at a time')
          await new Promise(setImmediate)
          unreleased -= bytes
        },
        commit: async () => [],
      }),
    }),
  })
  const total = 64 * 1024 * 1024
  const piece = createHash('sha256').update('seed').digest()
  async function* generated(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.alloc(1 << 20, piece)
    for (let at = 0; at < total; at += buffer.length) {
      buffer.writeUInt32LE(at)
      yield buffer
    }
  }
  const entry: UploadEntry = { kind: 'file', path: 'f', content: generated() }
  const events = await importAll(files, [entry], { cidVersion: 1, rawLeaves: true })
  assert.ok(rootOf(events).size > BigInt(total))
  assert.ok(most <= 4 * 1024 * 1024, `a group of ${most} bytes`)
})

test('more blocks than the limit are refused', async (t) => {
  const { files } = createFilesFixture(t, { limits: { importBlocksMax: 10 } })
  await assert.rejects(
    importAll(files, [fileEntry('f', 'x'.repeat(20))], { chunker: { kind: 'size', bytes: 1 } }),
    {
      code: 'too_large',
    },
  )
})

test('a request makes no more blocks than its entries and bytes allow', async (t) => {
  const { files } = createFilesFixture(t)
  const bytewise = { chunker: { kind: 'size', bytes: 1 }, rawLeaves: true } as const
  await importAll(files, [fileEntry('f', 'x'.repeat(16_000))], bytewise)
  await assert.rejects(importAll(files, [fileEntry('f', 'x'.repeat(20_000))], bytewise), {
    code: 'too_large',
    message:
      /^request creates more than 1\d{4} blocks of \d+ bytes in 1 entries; use larger chunks or more links$/,
  })
})

test('many small files are no more blocks than their entries allow', async (t) => {
  const { files } = createFilesFixture(t)
  const entries = Array.from({ length: 17_000 }, (_, at) => fileEntry(`folder/${at}`, ''))
  const events = await importAll(files, entries, {})
  assert.equal(events.filter(({ kind }) => kind === 'added').length, 17_001)
})

test('every group of blocks goes through the batch, and the pin with it', async (t) => {
  let puts = 0
  const { files } = createFilesFixture(t, {
    wrapStore: (store) => watchedStore(store, (items) => void (puts += items.length)),
  })
  await importAll(files, [fileEntry('f', 'some content')], { pinName: 'mine' })
  assert.equal(puts, 1)
  assert.equal((await pinsOf(files, 'alice'))[0]?.name, 'mine')
})
