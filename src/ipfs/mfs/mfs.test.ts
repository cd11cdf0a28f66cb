// File trees of accounts on a real store: which blocks they retain, and their storage, together with pins and collections.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../test/fakes/files/file-commands.ts'
import { fileEntry, never } from '../../../test/fakes/files/files-fixture.ts'
import { noise, seeded } from '../../../test/fakes/seeded.ts'
import { importProfiles } from '../../codec/ipld/import-profile.ts'
import { cidOf, dagPbCodec, parseCid } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import { makeDirectory, removeEntry } from './mfs-changes.ts'
import type { MfsCall } from '../files.ts'

const offline = { offline: true, timeoutMs: null }

function createTree(t: TestContext, fixture: Parameters<typeof createFileCommands>[1] = {}) {
  const commands = createFileCommands(t, fixture)
  const { files, database, run, value } = commands
  const call: MfsCall = {
    accountId: 'alice',
    profile: importProfiles['unixfs-v0-2015'],
    patience: offline,
    proceed: () => true,
    signal: never,
  }
  const write = (path: string, content: Buffer | string, options = {}) =>
    run('files/write', [path], { create: true, parents: true, ...options }, [
      fileEntry('data', Buffer.from(content)),
    ])
  async function rootOf(): Promise<CID> {
    return (await files.mfs.open(call)).root
  }
  async function hashOf(path: string): Promise<string> {
    return ((await value('files/stat', [path])) as { Hash: string }).Hash
  }
  async function read(path: string): Promise<Buffer> {
    return await commands.bytes('files/read', [path])
  }
  /** Distinct blocks below the tree and the pins, by a walk. */
  async function recount() {
    const sizes = new Map<string, number>()
    const pins = await Array.fromAsync(files.pins('alice', never))
    for (const cid of [await rootOf(), ...pins.map((pin) => pin.cid)]) {
      for await (const one of files.blocks(cid, offline, never)) {
        sizes.set(Buffer.from(one.cid.multihash.bytes).toString('hex'), one.block?.length ?? 0)
      }
    }
    return { blocks: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) }
  }
  /** Deletes every block that no account stores. */
  async function sweep(): Promise<void> {
    const all = database.all<{ hash: Uint8Array }>('SELECT hash FROM block')
    await commands.store.delete?.(all.map(({ hash }) => hash))
  }
  return { ...commands, database, call, write, read, rootOf, hashOf, recount, sweep }
}

test('a tree and pins together are charged as a recount says, and outlive a sweep', async (t) => {
  const { run, write, recount, files, hashOf, sweep, value, rootOf } = createTree(t)
  const random = seeded(7)
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const path = () => `${pick(['', '/a', '/b/c'])}/${pick(['f', 'g', 'h'])}`
  const attempt = async (work: () => Promise<unknown>) => {
    await work().catch((thrown: Error) =>
      assert.match(thrown.message, /exist|already|itself|file|pinned/),
    )
  }
  await write('/f', 'first')
  for (let step = 0; step < 150; step += 1) {
    // Only four contents, so that blocks are shared.
    const content = noise(`content ${random(4)}`, pick([10, 5000, 300_000]))
    await attempt(() =>
      pick([
        () => write(path(), content, { offset: BigInt(pick([0, 0, 9, 400_000])) }),
        () => write(path(), content, { truncate: true }),
        () => run('files/cp', [path(), path()], { parents: true }),
        () => run('files/mv', [path(), path()]),
        () => run('files/rm', [pick([path(), '/a', '/b'])], { recursive: true }),
        async () => run('pin/add', [await hashOf(pick([path(), '/']))]),
        async () => run('pin/rm', [await hashOf(path())]),
        async () => run('files/cp', [`/ipfs/${(await rootOf()).toString()}`, `/r${step}`]),
        () => run('files/rm', [`/r${step - 3}`], { force: true }),
      ])(),
    )
    if (step % 10 === 0) assert.deepEqual(await files.stored('alice'), await recount())
  }
  await sweep()
  assert.deepEqual(await files.stored('alice'), await recount())
  assert.deepEqual(await files.locality(await rootOf(), never), {
    complete: true,
    bytes: (await files.locality(await rootOf(), never)).bytes,
  })
  const listed = await Array.fromAsync(files.storedBlocks('alice', never))
  assert.equal(listed.length, (await recount()).blocks)
  for await (const { cid } of files.pins('alice', never)) await files.unpin('alice', cid, true)
  const { Entries } = (await value('files/ls', ['/'])) as { Entries: { Name: string }[] | null }
  for (const { Name } of Entries ?? []) await run('files/rm', [`/${Name}`], { recursive: true })
  assert.deepEqual(await files.stored('alice'), { blocks: 1, bytes: 4 })
})

test('content of a tree is stored by no pin', async (t) => {
  const { write, hashOf, files, value } = createTree(t)
  await write('/d/f', 'abc')
  const cid = parseCid(await hashOf('/d'))
  assert.ok(cid)
  assert.equal(await files.isPinned(cid, { accountId: 'alice', recursive: true }), false)
  assert.deepEqual(await value('pin/ls'), {})
  await value('pin/add', [cid.toString()])
  assert.equal(await files.isPinned(cid, { accountId: 'alice', recursive: true }), true)
})

test('each account has a tree of its own', async (t) => {
  const { write, value } = createTree(t)
  await write('/f', 'abc')
  const theirs = await value('files/ls', ['/'], {}, null, undefined, 'bob')
  assert.deepEqual(theirs, { Entries: null })
})

test('a change that another one overtakes is made again on the new tree', async (t) => {
  const { files, database, call, write, value } = createTree(t)
  await write('/f', 'abc')
  let runs = 0
  await files.mfs.change(call, {
    work: async (tree) => {
      runs += 1
      // As if another machine had committed.
      if (runs === 1) database.run('UPDATE mfs SET version = version + 1')
      await makeDirectory(tree, '/d', { parents: false, format: { version: 0, hashCode: 0x12 } })
    },
  })
  assert.equal(runs, 2)
  await assert.rejects(
    files.mfs.change(call, {
      work: async (tree) => {
        database.run('UPDATE mfs SET version = version + 1')
        await removeEntry(tree, '/d', { recursive: true, force: false })
      },
    }),
    { code: 'overloaded', message: /another request changed the file tree/ },
  )
  const names = Array.from({ length: 20 }, (_, index) => `/n${10 + index}`)
  await Promise.all(names.map((name) => write(name, name)))
  const { Entries } = (await value('files/ls')) as { Entries: { Name: string }[] }
  assert.equal(Entries.length, 22)
})

test('a long body refuses if the file changed while it arrived', async (t) => {
  const { run, write, read } = createTree(t)
  const whole = noise('long', 5_000_000)
  await write('/long', whole)
  assert.deepEqual(await read('/long'), whole)
  const content = (async function* () {
    yield whole.subarray(0, 3_000_000)
    await write('/long', 'other', { truncate: true })
    yield whole.subarray(3_000_000)
  })()
  await assert.rejects(
    run('files/write', ['/long'], {}, [{ kind: 'file', path: 'data', content }]),
    { code: 'overloaded' },
  )
  assert.equal(String(await read('/long')), 'other')
})

test('an account over its quota can remove, and not write', async (t) => {
  const { database, run, write, files } = createTree(t)
  await write('/f', noise('large', 100_000))
  database.run(`UPDATE account SET settings = '{"filesStoredBytes": 1000}' WHERE id = 'alice'`)
  await assert.rejects(write('/g', 'abc'), { code: 'over_quota' })
  await run('files/rm', ['/f'])
  await write('/g', 'abc')
  assert.ok((await files.stored('alice')).bytes < 1000)
})

test('a copy of content takes what is stored, and reads nothing else', async (t) => {
  const { run, store, hashOf, files, sweep, value } = createTree(t)
  const here = Buffer.from('here')
  const missing = cidOf(1, 0x55, multihashOf('sha2-256', Buffer.from('missing')))
  const stored = cidOf(1, 0x55, multihashOf('sha2-256', here))
  const links = [
    { cid: stored.bytes, name: 'a', size: 4n },
    { cid: missing.bytes, name: 'b', size: 7n },
  ]
  const root = encodeDagNode({ links, data: encodeUnixfs({ type: 'directory' }) })
  const cid = cidOf(0, dagPbCodec, multihashOf('sha2-256', root))
  await store.put([
    { ref: { kind: 'dag-block', hash: stored.multihash.bytes }, bytes: here },
    { ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes: root },
  ])
  await run('files/cp', [`/ipfs/${cid.toString()}`, '/d'])
  await sweep()
  assert.equal(await hashOf('/d'), cid.toString())
  assert.deepEqual(await files.has(stored), true)
  const { blocks } = await files.stored('alice')
  assert.equal(blocks, 3)
  // A block that arrives later is retained once a change links to it.
  await store.put([
    { ref: { kind: 'dag-block', hash: missing.multihash.bytes }, bytes: Buffer.from('missing') },
  ])
  await run('files/cp', [`/ipfs/${missing.toString()}`, '/d/c'])
  assert.equal((await files.stored('alice')).blocks, blocks + 1)
  await run('files/rm', ['/d'], { recursive: true })
  await sweep()
  assert.equal(await files.has(stored), false)
  assert.deepEqual(await files.stored('alice'), { blocks: 1, bytes: 4 })
  assert.deepEqual(await value('files/ls'), { Entries: null })
})

test('a change in a tree of 10,000 files reads and writes the nodes on its path', async (t) => {
  let reads = 0
  const { run, lines, write, database, files } = createTree(t, {
    wrapStore: (store) =>
      Object.assign(Object.create(store) as typeof store, {
        get: (...args: Parameters<typeof store.get>) => {
          reads += 1
          return store.get(...args)
        },
        peek: (...args: Parameters<typeof store.peek>) => {
          reads += 1
          return store.peek(...args)
        },
      }),
  })
  const entries = Array.from({ length: 10_000 }, (_, index) =>
    fileEntry(`t/${Math.floor(index / 100)}/file-${index}`, `content ${index}`),
  )
  const added = (await lines('add', [], { pin: false }, entries)) as { Hash: string }[]
  await run('files/cp', [`/ipfs/${added.at(-1)?.Hash}`, '/t'])
  assert.equal((await files.stored('alice')).blocks, 10_102)
  const changed = () => database.getValue<number>('SELECT total_changes()') ?? 0
  const [readsBefore, before] = [reads, changed()]
  const began = performance.now()
  for (let step = 0; step < 10; step += 1) await write(`/t/${step}/file-new`, `new ${step}`)
  const ms = (performance.now() - began) / 10
  t.diagnostic(
    `${ms.toFixed(1)} ms, ${(reads - readsBefore) / 10} reads, ${(changed() - before) / 10} rows a change`,
  )
  assert.ok((reads - readsBefore) / 10 < 30)
  assert.ok((changed() - before) / 10 < 100)
  // Two blocks for each new file. The upload is leased, so the 11 replaced directories remain.
  assert.equal((await files.stored('alice')).blocks, 10_102 + 20 + 11)
})
