// Promises of dag/export and dag/import on a real store: the content of a CAR, the blocks that Cairn stores, the refusals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { dropBlock } from '../../../../test/fakes/upstream/drop-block.ts'
import {
  fileEntry,
  never,
  piecesOf,
  streamOf,
  watchedStore,
} from '../../../../test/fakes/files/files-fixture.ts'
import { toBareHex } from '../../../base/hex.ts'
import { carLimits, openCar } from '../../../codec/ipld/car-reader.ts'
import {
  carSectionHead,
  encodeCarHeader,
  writeCar,
  type CarBlock,
} from '../../../codec/ipld/car-writer.ts'
import { cidOf, dagCborCodec, dagPbCodec, rawCodec } from '../../../codec/ipld/cid.ts'
import { encodeDagCbor } from '../../../codec/ipld/dag-cbor-writer.ts'
import { encodeDagNode } from '../../../codec/ipld/dag-pb.ts'
import { encodeMultihash, identityCode, multihashOf } from '../../../codec/ipld/multihash.ts'
import { joinBytes } from '../../../codec/ipld/protobuf.ts'
import { verifyDagBlock } from '../../../codec/ipld/verify-dag-block.ts'
import type { Source } from '../../../content/source.ts'

type Commands = ReturnType<typeof createFileCommands>
type Added = { readonly Hash: string }[]

const rawBlock = (text: string | Uint8Array): CarBlock => {
  const block = Buffer.from(text)
  return { cid: cidOf(1, rawCodec, multihashOf('sha2-256', block)), block }
}
const cborBlock = (links: readonly CID[], more = 0n): CarBlock => {
  const block = encodeDagCbor([more, ...links])
  return { cid: cidOf(1, dagCborCodec, multihashOf('sha2-256', block)), block }
}
const carOf = async (roots: readonly CID[], blocks: readonly CarBlock[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(writeCar(roots, streamOf(blocks))))
const blocksIn = async (car: Uint8Array): Promise<CarBlock[]> =>
  await Array.fromAsync((await openCar(piecesOf(car), carLimits)).blocks)
const importInto = (commands: Commands, cars: Uint8Array | readonly Uint8Array[], options = {}) =>
  commands.lines(
    'dag/import',
    [],
    options,
    (cars instanceof Uint8Array ? [cars] : cars).map((car) => fileEntry('x.car', car)),
  )
const root = (cid: CID | string, error = '') => ({
  Root: { Cid: { '/': cid.toString() }, PinErrorMsg: error },
})
const pinsOf = async ({ value }: Commands) =>
  Object.keys(((await value('pin/ls', [], { type: 'recursive' })) as { Keys?: object }).Keys ?? {})
const notFound = (cid: CID) =>
  `block was not found locally (offline): ipld: could not find ${cid.toString()}`

/** A folder with a file of two chunks, the same file again, and a subfolder. */
async function addFolder({ lines }: Commands): Promise<string> {
  const large = Buffer.alloc(300_000, 7)
  const all = (await lines('add', [], {}, [
    fileEntry('f/a', large),
    fileEntry('f/b', large),
    fileEntry('f/d/c', 'small'),
  ])) as Added
  return all.at(-1)?.Hash ?? assert.fail()
}

test('a folder goes through a CAR into another store: same CIDs, readable, pinned', async (t) => {
  const [one, other] = [createFileCommands(t), createFileCommands(t)]
  const folder = await addFolder(one)
  const car = await one.bytes('dag/export', [folder])
  const sizes = (await blocksIn(car)).map(({ block }) => block.length)
  assert.deepEqual(await importInto(other, car, { stats: true }), [
    root(folder),
    {
      Stats: { BlockCount: 6, BlockBytesCount: BigInt(sizes.reduce((sum, size) => sum + size, 0)) },
    },
  ])
  assert.deepEqual(await pinsOf(other), [folder])
  assert.deepEqual((await other.cat([`${folder}/a`]))[0], Buffer.alloc(300_000, 7).toString())
  assert.deepEqual(await other.bytes('dag/export', [folder]), car)
  // The target of a path is exported as the root.
  const inner = await other.bytes('dag/export', [`${folder}/d`])
  assert.equal((await blocksIn(inner)).length, 2)
})

test('a CAR that leaves names its root, goes depth first, and has each block once, identity blocks too', async (t) => {
  const commands = createFileCommands(t)
  const leaf = rawBlock('leaf')
  const inline: CarBlock = {
    cid: cidOf(1, rawCodec, encodeMultihash(identityCode, Buffer.from('inline'))),
    block: Buffer.from('inline'),
  }
  const below = cborBlock([leaf.cid, inline.cid])
  const top = cborBlock([below.cid, leaf.cid, inline.cid, below.cid])
  await importInto(commands, await carOf([top.cid], [leaf, below, top, inline, inline]))
  const car = await commands.bytes('dag/export', [top.cid.toString()])
  assert.deepEqual(car, await carOf([top.cid], [top, below, leaf, inline]))
  const own = await commands.bytes('dag/export', [inline.cid.toString()])
  assert.deepEqual(own, await carOf([inline.cid], [inline]))
})

test('the leaves of a file are exported in runs: few are looked for one by one, and none is read twice', async (t) => {
  const count = { found: 0, read: 0 }
  const commands = createFileCommands(t, {
    wrapStore: (store) => ({
      ...store,
      peek(ref) {
        count.found += 1
        return store.peek(ref)
      },
      async *read(refs, signal) {
        for await (const group of store.read(refs, signal)) {
          count.read += group.length
          yield group
        }
      },
    }),
  })
  const { lines, bytes } = commands
  // 400 leaves: three nodes of at most 174 below the root.
  const content = Buffer.alloc(400 * 4096)
  for (let at = 0; at < content.length; at += 4096) content.writeUInt32BE(at, at)
  const added = (await lines('add', [], { chunker: 'size-4096', pin: false }, [
    fileEntry('x', content),
  ])) as Added
  Object.assign(count, { found: 0, read: 0 })
  const car = await bytes('dag/export', [added[0]?.Hash ?? ''])
  const blocks = await blocksIn(car)
  assert.equal(blocks.length, 404)
  for (const { cid, block } of blocks) verifyDagBlock(cid.multihash.bytes, block)
  assert.ok(count.found <= 8 && count.read <= 404, JSON.stringify(count))
})

test('a leaf that is lost or wrong on disk ends an export, or is had from a source', async (t) => {
  const whole = createFileCommands(t)
  const folder = await addFolder(whole)
  const car = await whole.bytes('dag/export', [folder])
  const blocks = await blocksIn(car)
  const byHash = new Map(blocks.map(({ cid, block }) => [toBareHex(cid.multihash.bytes), block]))
  const source: Source = {
    name: 'other',
    async fetch({ ref }, offer) {
      const bytes = byHash.get(toBareHex(ref.hash))
      if (bytes !== undefined) offer([{ ref, bytes }])
    },
  }
  for (const sources of [[], [source]]) {
    const commands = createFileCommands(t, { sources })
    await importInto(commands, car)
    for (const { cid } of blocks.filter(({ block }) => block.length < 1000)) {
      await dropBlock(commands, cid.multihash.bytes)
      const again = commands.bytes('dag/export', [folder])
      if (sources.length > 0) assert.deepEqual(await again, car)
      else await assert.rejects(again, { message: /could not find/ })
    }
  }
})

test('an export of what is not all here fails, or leaves that out when asked to', async (t) => {
  const commands = createFileCommands(t)
  const [here, missing] = [rawBlock('here'), rawBlock('missing')]
  const top = cborBlock([missing.cid, here.cid])
  await importInto(commands, await carOf([], [here, top]))
  const path = top.cid.toString()
  await assert.rejects(commands.bytes('dag/export', [path]), { message: notFound(missing.cid) })
  const partial = await commands.bytes('dag/export', [path], { 'local-only': true })
  assert.deepEqual(partial, await carOf([top.cid], [top, here]))
  const rootless = commands.bytes('dag/export', [missing.cid.toString()], { 'local-only': true })
  await assert.rejects(rootless, { message: notFound(missing.cid) })
  await assert.rejects(
    commands.bytes('dag/export', [path], { 'local-only': true, offline: false }),
    /--local-only implies --offline and cannot be combined with --offline=false/,
  )
})

test('roots are reported in the order of the headers; one that is not whole says why, and the rest is pinned', async (t) => {
  const commands = createFileCommands(t)
  const [leaf, missing] = [rawBlock('leaf'), rawBlock('missing')]
  const [whole, broken] = [cborBlock([leaf.cid]), cborBlock([missing.cid])]
  const odd = { cid: CID.createV1(0x78, leaf.cid.multihash), block: leaf.block }
  const car = await carOf([broken.cid, whole.cid, missing.cid, odd.cid], [leaf, whole, broken])
  const again = await carOf([whole.cid, leaf.cid], [])
  assert.deepEqual(await importInto(commands, [car, again]), [
    root(broken.cid, notFound(missing.cid)),
    root(whole.cid),
    root(missing.cid, notFound(missing.cid)),
    root(odd.cid, 'links of codec 0x78 can not be followed by this server'),
    root(leaf.cid),
  ])
  assert.deepEqual(new Set(await pinsOf(commands)), new Set([whole.cid, leaf.cid].map(String)))
  // Blocks of the incomplete root are stored all the same.
  assert.deepEqual(
    await commands.bytes('block/get', [broken.cid.toString()]),
    Buffer.from(broken.block),
  )
})

test('roots may be left unpinned; then they are not reported', async (t) => {
  const commands = createFileCommands(t)
  const leaf = rawBlock('leaf')
  const car = await carOf([leaf.cid], [leaf])
  assert.deepEqual(await importInto(commands, car, { 'pin-roots': false }), [])
  assert.deepEqual(await pinsOf(commands), [])
  assert.equal((await commands.bytes('block/get', [leaf.cid.toString()])).toString(), 'leaf')
  assert.deepEqual(await importInto(commands, [], { stats: true }), [
    { Stats: { BlockCount: 0, BlockBytesCount: 0n } },
  ])
})

test('a CAR is stored completely or not at all, whichever file of a request is bad, and the place is named', async (t) => {
  const commands = createFileCommands(t)
  const [one, two] = [rawBlock('one'), rawBlock('two')]
  const good = await carOf([one.cid], [one, two])
  const name = (block: CarBlock) => JSON.stringify(block.cid.toString())
  const lying = await carOf([one.cid], [one, { cid: two.cid, block: one.block }])
  const hash = { code: 0xb250, digest: Buffer.alloc(16) }
  const odd = { cid: cidOf(1, rawCodec, encodeMultihash(hash.code, hash.digest)), block: one.block }
  const refused: readonly [Uint8Array, string][] = [
    [good.subarray(0, -1), `import failed after block ${name(one)}: unexpected EOF`],
    [good.subarray(0, 80), 'import failed: unexpected EOF'],
    [Buffer.from('no car'), 'import failed: unexpected EOF'],
    [new Uint8Array(0), 'import failed: unexpected EOF'],
    [lying, `import failed at block ${name(two)}: block bytes do not match their hash`],
    [
      await carOf([], [odd]),
      `import failed at block ${name(odd)}: potentially insecure hash functions not allowed`,
    ],
    [
      joinBytes([good, Buffer.from([0])]),
      `import failed after block ${name(two)}: section without a valid cid`,
    ],
  ]
  for (const [car, message] of refused) {
    await assert.rejects(importInto(commands, [good, car]), { code: 'command_failed', message })
    assert.equal(
      await commands.store.has({ kind: 'dag-block', hash: one.cid.multihash.bytes }),
      false,
    )
  }
  assert.deepEqual(await pinsOf(commands), [])
  const folder = commands.lines('dag/import', [], {}, [{ kind: 'directory', path: 'd' }])
  await assert.rejects(folder, /expected a file handle/)
  await assert.rejects(commands.lines('dag/import'), {
    code: 'bad_argument',
    message: "file argument 'path' is required",
  })
})

test('a block over its limit is refused at that block, and stored with allow-big-block', async (t) => {
  const commands = createFileCommands(t)
  const [fits, big] = [rawBlock(Buffer.alloc(2_097_152)), rawBlock(Buffer.alloc(2_097_153))]
  const huge = rawBlock(Buffer.alloc(4_194_305))
  assert.equal((await importInto(commands, await carOf([fits.cid], [fits]))).length, 1)
  const car = await carOf([big.cid], [fits, big])
  const at = `import failed at block "${big.cid.toString()}": produced block is over 2MiB: big blocks`
  await assert.rejects(importInto(commands, car), new RegExp(at))
  const allowed = { 'allow-big-block': true }
  assert.deepEqual(await importInto(commands, car, allowed), [root(big.cid)])
  await assert.rejects(importInto(commands, await carOf([], [huge]), allowed), /over 4MiB/)
  const lie = joinBytes([encodeCarHeader([]), carSectionHead(huge.cid, 2 ** 40)])
  await assert.rejects(
    importInto(commands, lie),
    /import failed: invalid section data, length of read beyond allowable maximum/,
  )
})

test("what a CAR brings is its importer's storage: for a day when a root is not whole, by the pins when all are", async (t) => {
  const commands = createFileCommands(t)
  const { files, value, run } = commands
  const [leaf, missing] = [rawBlock('leaf'), rawBlock('missing')]
  const [whole, broken] = [cborBlock([leaf.cid]), cborBlock([missing.cid])]
  const stored = async () => (await files.stored('alice')).blocks
  await importInto(commands, await carOf([whole.cid], [whole, leaf]))
  assert.equal(await stored(), 2)
  await run('pin/rm', [whole.cid.toString()])
  assert.equal(await stored(), 0)
  await importInto(commands, await carOf([whole.cid, broken.cid], [whole, leaf, broken]))
  await value('pin/rm', [whole.cid.toString()])
  assert.equal(await stored(), 3)
  assert.deepEqual((await files.stored('bob')).blocks, 0)
})

test('the root of a CAR with one complete DAG is pinned in the commit of its blocks, none of them read again', async (t) => {
  const one = createFileCommands(t)
  const car = await one.bytes('dag/export', [await addFolder(one)])
  const commits: number[] = []
  const other = createFileCommands(t, {
    wrapStore: (store) => ({
      ...store,
      find: () => assert.fail('a block was read'),
      batch() {
        const batch = store.batch()
        const commit: typeof batch.commit = async (rows) => {
          commits.push(rows?.length ?? 0)
          return await batch.commit(rows)
        }
        return { ...batch, commit }
      },
    }),
  })
  const [line] = (await importInto(other, car)) as ReturnType<typeof root>[]
  assert.deepEqual([line?.Root.PinErrorMsg, commits.length], ['', 1])
  assert.deepEqual(await pinsOf(other), [line?.Root.Cid['/']])
  assert.equal((await other.files.stored('alice')).blocks, 6)
})

test('a CAR with more or less than one DAG, or one larger than memory, is walked and reported the same', async (t) => {
  const commands = createFileCommands(t)
  const inside: CarBlock = {
    cid: cidOf(1, dagCborCodec, encodeMultihash(identityCode, encodeDagCbor([]))),
    block: encodeDagCbor([]),
  }
  const [leaf, more] = [rawBlock('leaf'), rawBlock('more')]
  const lost = cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from('lost')))
  const within = {
    cid: cidOf(1, dagCborCodec, encodeMultihash(identityCode, encodeDagCbor([lost]))),
    block: encodeDagCbor([lost]),
  }
  const pb = { cid: CID.createV1(dagPbCodec, leaf.cid.multihash), block: leaf.block }
  const cases: readonly (readonly [CarBlock, readonly CarBlock[], string])[] = [
    // A block that the root does not reach.
    [cborBlock([leaf.cid], 1n), [leaf, more], ''],
    // A link that is not in the CAR, but is stored since the previous case.
    [cborBlock([more.cid], 2n), [], ''],
    [cborBlock([lost], 3n), [], notFound(lost)],
    // Links inside an identity CID.
    [cborBlock([inside.cid], 4n), [], ''],
    [cborBlock([within.cid], 5n), [], notFound(lost)],
    // The bytes are stored under a codec without links; under this codec they are malformed.
    [cborBlock([pb.cid], 6n), [leaf], 'malformed protobuf: wire type 4'],
    // Repeated blocks, and the root first or last, are also a single DAG.
    [cborBlock([leaf.cid, leaf.cid], 7n), [leaf, leaf], ''],
  ]
  for (const [top, blocks, error] of cases) {
    const car = await carOf([top.cid], [...blocks, top, top])
    assert.deepEqual(await importInto(commands, car), [root(top.cid, error)])
  }
  assert.equal((await pinsOf(commands)).length, 4)
})

test('blocks of one request are counted, also those that stand twice', async (t) => {
  const commands = createFileCommands(t, { limits: { importBlocksMax: 10 } })
  const leaf = rawBlock('leaf')
  const many = (count: number) =>
    carOf(
      [],
      Array.from({ length: count }, () => leaf),
    )
  assert.deepEqual(await importInto(commands, [await many(4), await many(6)], { stats: true }), [
    { Stats: { BlockCount: 10, BlockBytesCount: 40n } },
  ])
  await assert.rejects(importInto(commands, [await many(4), await many(7)]), {
    code: 'too_large',
    message: 'request has more than 10 blocks',
  })
})

test('a caller that is gone before the commit has nothing kept', async (t) => {
  const { files, store } = createFileCommands(t)
  const leaf = rawBlock('leaf')
  const events = files.importCars(
    streamOf([piecesOf(await carOf([leaf.cid], [leaf]))]),
    { pinRoots: true, blockBytesMax: 100, tooBig: '' },
    { accountId: 'alice', proceed: () => false, signal: never },
  )
  await assert.rejects(events.next(), { code: 'hung_up' })
  assert.equal(await store.has({ kind: 'dag-block', hash: leaf.cid.multihash.bytes }), false)
})

test('a CAR of any size goes through two groups of memory', async (t) => {
  const groups: number[] = []
  const commands = createFileCommands(t, {
    wrapStore: (store) =>
      watchedStore(store, (items) =>
        groups.push(items.reduce((sum, { bytes }) => sum + bytes.length, 0)),
      ),
  })
  const blocks = Array.from({ length: 40 }, (_, index) => rawBlock(Buffer.alloc(262_144, index)))
  const top = cborBlock(blocks.map(({ cid }) => cid))
  assert.deepEqual(await importInto(commands, await carOf([top.cid], [top, ...blocks])), [
    root(top.cid),
  ])
  assert.ok(groups.length >= 5 && Math.max(...groups) <= 2 * 1024 * 1024, String(groups))
})

test('a thousand roots over one DAG are walked as far as one request may walk', async (t) => {
  const commands = createFileCommands(t, { limits: { importBlocksMax: 2000 } })
  let blocks = [rawBlock('leaf')]
  for (let level = 0; level < 90; level += 1) {
    blocks = [...blocks, cborBlock([blocks.at(-1)?.cid ?? assert.fail()])]
  }
  // The same chain under nine hundred names: each root is a different node above it.
  const below = blocks.at(-1)?.cid ?? assert.fail()
  const tops = Array.from({ length: 900 }, (_, index) => cborBlock([below], BigInt(index)))
  const car = await carOf(
    tops.map(({ cid }) => cid),
    [...blocks, ...tops],
  )
  const lines = (await importInto(commands, car)) as ReturnType<typeof root>[]
  const pinned = lines.filter(({ Root }) => Root.PinErrorMsg === '')
  // 92 blocks below each root, 2000 in all.
  assert.deepEqual([lines.length, pinned.length], [900, 21])
  assert.equal(
    lines.at(-1)?.Root.PinErrorMsg,
    'DAGs of the roots have more than 2000 blocks together',
  )
})

test('more roots than a request may have are refused, over all its files', async (t) => {
  const commands = createFileCommands(t)
  const roots = Array.from({ length: 1001 }, (_, index) => rawBlock(String(index)).cid)
  const cars = [await carOf(roots.slice(0, 600), []), await carOf(roots.slice(600), [])]
  await assert.rejects(importInto(commands, cars), /import failed: more than 1000 roots/)
  await assert.rejects(importInto(commands, await carOf(roots, [])), /more than 1000 roots/)
  assert.equal((await importInto(commands, await carOf(roots.slice(1), []))).length, 1000)
})

test('deep and wide DAGs, and such as look endless, are pinned and exported without a stack', async (t) => {
  const commands = createFileCommands(t)
  // Deep: a chain of ten thousand nodes.
  const deep = [rawBlock('leaf')]
  for (let level = 0; level < 10_000; level += 1) {
    deep.push(cborBlock([deep.at(-1)?.cid ?? assert.fail()]))
  }
  // Self-similar: thirty nodes that each link twice to the next one, so 2^30 paths.
  const doubled = [rawBlock('twice')]
  for (let level = 0; level < 30; level += 1) {
    const below = doubled.at(-1)?.cid ?? assert.fail()
    const link = { cid: below.bytes, size: 2n ** BigInt(level) }
    const block = encodeDagNode({
      links: [
        { ...link, name: 'a' },
        { ...link, name: 'b' },
      ],
      data: Buffer.from('0801', 'hex'),
    })
    doubled.push({ cid: cidOf(1, dagPbCodec, multihashOf('sha2-256', block)), block })
  }
  // Wide: one node with ten thousand links.
  const leaves = Array.from({ length: 10_000 }, (_, index) => rawBlock(`leaf ${index}`))
  const wide = cborBlock(leaves.map(({ cid }) => cid))
  const roots = [deep.at(-1)?.cid, doubled.at(-1)?.cid, wide.cid].map((cid) => cid ?? assert.fail())
  const car = await carOf(roots, [...deep, ...doubled, ...leaves, wide])
  assert.deepEqual(
    await importInto(commands, car),
    roots.map((cid) => root(cid)),
  )
  const sizes = await Promise.all(
    roots.map(
      async (cid) => (await blocksIn(await commands.bytes('dag/export', [cid.toString()]))).length,
    ),
  )
  assert.deepEqual(sizes, [10_001, 31, 10_001])
})
