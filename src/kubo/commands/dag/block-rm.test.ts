// Promises of block/rm and repo/gc: the caller's own unpinned blocks, no pins, no blocks of other accounts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'

type Line = { readonly Hash: string }

const raw = (cid: string): string => CID.createV1(0x55, CID.parse(cid).multihash).toString()

test('block/rm takes out what is not pinned and says so', async (t) => {
  const { add, lines, store } = createFileCommands(t)
  const cid = await add('a', 'abc', { pin: false })
  assert.deepEqual(await lines('block/rm', [cid]), [{ Hash: cid }])
  assert.equal(await store.has({ kind: 'dag-block', hash: CID.parse(cid).multihash.bytes }), false)
  assert.deepEqual(await lines('block/rm', [cid]), [
    { Hash: cid, Error: `ipld: could not find ${cid}` },
  ])
  assert.deepEqual(await lines('block/rm', [cid], { force: true }), [{ Hash: cid }])
  assert.deepEqual(await lines('block/rm', [cid], { force: true, quiet: true }), [])
})

test('block/rm refuses what a pin of the account reaches, and names it', async (t) => {
  const { lines, run, add, store } = createFileCommands(t)
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a', 'abc'),
  ])) as Line[]
  const [inside, root] = all.map(({ Hash }) => Hash) as [string, string]
  const direct = await add('b', 'direct', { pin: false })
  await run('pin/add', [direct], { recursive: false })
  assert.deepEqual(await lines('block/rm', [inside, root, direct]), [
    { Hash: inside, Error: `pinned via ${root}` },
    { Hash: root, Error: 'pinned: recursive' },
    { Hash: direct, Error: 'pinned: direct' },
  ])
  for (const cid of [inside, root, direct]) {
    assert.ok(await store.has({ kind: 'dag-block', hash: CID.parse(cid).multihash.bytes }))
  }
})

test('blocks of other accounts stay readable for them, and block/rm does not reveal it', async (t) => {
  const { lines, run, add, store, files } = createFileCommands(t)
  const cid = await add('a', 'shared')
  const hash = CID.parse(cid).multihash.bytes
  await run('add', [], { pin: false }, [fileEntry('a', 'shared')], files, 'bob').then(
    async (reply) => {
      if (reply.kind === 'events') await Array.fromAsync(reply.lines)
    },
  )
  assert.deepEqual(await lines('block/rm', [cid], {}, null, files, 'bob'), [{ Hash: cid }])
  assert.ok(await store.has({ kind: 'dag-block', hash }))
  assert.equal((await files.stored('bob')).bytes, 0)
  assert.equal((await files.stored('alice')).blocks, 1)
})

test('repo/gc lets go of all that was not pinned, and names it by raw CIDs', async (t) => {
  const { add, lines, store, files } = createFileCommands(t)
  const pinned = await add('a', 'pinned')
  const loose = await add('b', 'loose', { pin: false })
  const both = await add('a', 'pinned', { pin: false })
  assert.equal(both, pinned)
  assert.equal((await files.stored('alice')).blocks, 2)
  assert.deepEqual(await lines('repo/gc'), [{ Key: { '/': raw(loose) } }])
  assert.equal((await files.stored('alice')).blocks, 1)
  assert.ok(await store.has({ kind: 'dag-block', hash: CID.parse(pinned).multihash.bytes }))
  assert.ok(!(await store.has({ kind: 'dag-block', hash: CID.parse(loose).multihash.bytes })))
  assert.deepEqual(await lines('repo/gc'), [])
})

test('repo/gc names what several adds share once, and leaves what a pin shares with them', async (t) => {
  const { lines, add, store, files } = createFileCommands(t)
  const wrapped = async (names: readonly string[]) => {
    const entries = names.map((name) => fileEntry(name, name))
    const all = await lines('add', [], { pin: false, 'wrap-with-directory': true }, entries)
    return (all as Line[]).map(({ Hash }) => raw(Hash))
  }
  const pinned = await add('kept', 'kept')
  const leased = [...(await wrapped(['kept', 'one', 'both'])), ...(await wrapped(['both', 'two']))]
  // More leases than one write ends.
  for (let at = 0; at < 250; at++) leased.push(raw(await add('f', `loose ${at}`, { pin: false })))
  const removed = new Set(leased.filter((cid) => cid !== raw(pinned)))
  const named = (await lines('repo/gc')).map((line) => (line as { Key: Line }).Key)
  const reported = named.map((key) => Object.values(key)[0] as string)
  assert.deepEqual(reported.toSorted(), [...removed].toSorted())
  for (const cid of removed) {
    assert.ok(!(await store.has({ kind: 'dag-block', hash: CID.parse(cid).multihash.bytes })))
  }
  assert.ok(await store.has({ kind: 'dag-block', hash: CID.parse(pinned).multihash.bytes }))
  assert.equal((await files.stored('alice')).blocks, 1)
})
