// Files of the segment store: direct writes, sealing, space, device failures.
import assert from 'node:assert/strict'
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createFailingFileOps } from '../../../test/fakes/files/failing-file-ops.ts'
import { createMemoryFileOps, systemError } from '../../../test/fakes/files/memory-file-ops.ts'
import {
  addLeaves,
  createSegmentFixture,
  readLeaves,
  temporaryPath,
} from '../../../test/fakes/files/segment-fixture.ts'
import { item } from '../../../test/suites/block-store.suite.ts'
import { Fault } from '../../base/fault.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { createSystemFiles } from '../system-files.ts'
import { listBlocks } from './stored-blocks.ts'

const file = (bytes: number, seed: number): Buffer => {
  const content = Buffer.alloc(bytes)
  for (let at = 0; at + 4 <= bytes; at += 4096) content.writeUInt32LE(seed + at, at)
  return content
}
const faultOf = (code: string) => (error: unknown) => error instanceof Fault && error.code === code

test('on a file system that takes them, extents are written directly, and read back the same', async (t) => {
  const path = temporaryPath(t)
  const { store } = createSegmentFixture(t, { ops: createSystemFiles(), path })
  assert.equal(store.direct, null)
  const content = file(9_500_001, 1)
  const leaves = await addLeaves(store, content)
  t.diagnostic(`direct: ${String(store.direct)}`)
  assert.equal(typeof store.direct, 'boolean')
  const [pieces, [name]] = [await readLeaves(store, leaves), readdirSync(join(path, 'ext'))]
  assert.deepEqual(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))), content)
  // Slots are adjacent without gaps; only the end is padded.
  assert.equal(statSync(join(path, 'ext', name ?? '')).size, Math.ceil(9_500_001 / 4096) * 4096)
})

for (const when of ['open', 'writev'] as const) {
  test(`a file system that refuses direct writes at ${when} is written through its cache, logged once`, async (t) => {
    const memory = createMemoryFileOps()
    const directs = new Set<unknown>()
    const syncs: number[] = []
    const ops = {
      ...memory,
      async open(path: string, how: { direct?: boolean; create?: boolean } = {}) {
        if (when === 'open' && how.direct === true) throw systemError('EINVAL', path)
        const opened = await memory.open(path, how)
        if (how.direct === true) directs.add(opened)
        return opened
      },
      async writev(...args: Parameters<typeof memory.writev>) {
        if (directs.has(args[0])) throw systemError('EINVAL')
        await memory.writev(...args)
      },
      async datasync() {
        syncs.push(1)
      },
    }
    const { store, lines } = createSegmentFixture(t, { ops })
    const content = file(20_000_000, 2)
    const leaves = await addLeaves(store, content)
    assert.equal(store.direct, false)
    assert.equal(lines.filter((line) => line.includes('extents_not_direct')).length, 1)
    assert.ok(syncs.length > 2, 'synced on the way')
    const pieces = await readLeaves(store, leaves)
    assert.deepEqual(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))), content)
  })
}

test('a file that is full is never written again, and a new process begins new ones', async (t) => {
  const ops = createMemoryFileOps()
  const limits = { sealBytes: 8 * 1024 * 1024 }
  const one = createSegmentFixture(t, { ops, limits })
  const first = file(20_000_000, 3)
  const leaves = await addLeaves(one.store, first)
  await one.store.put([item('small')])
  const before = new Map([...ops.files].map(([name, bytes]) => [name, Buffer.from(bytes)]))
  assert.equal([...before.keys()].filter((name) => name.endsWith('.ext')).length, 3)
  await one.store.close()

  const two = createSegmentFixture(t, { ops, limits, db: one.db })
  await two.store.put([item('later')])
  const more = await addLeaves(two.store, file(5_000_000, 4))
  for (const [name, bytes] of before)
    assert.deepEqual(Buffer.from(ops.files.get(name) ?? []), bytes)
  assert.ok((await readLeaves(two.store, [...leaves, ...more])).every((piece) => piece !== null))
  assert.deepEqual(two.store.peek(item('small').ref), item('small').bytes)
  assert.deepEqual(two.store.peek(item('later').ref), item('later').bytes)
})

test('an existing file is not written again', async (t) => {
  const ops = createMemoryFileOps()
  const { store } = createSegmentFixture(t, { ops })
  const content = file(9_000_000, 5)
  const once = await addLeaves(store, content)
  const bytes = store.bytes
  assert.deepEqual(await addLeaves(store, content), once)
  assert.equal(store.bytes, bytes)
})

test('a full store refuses new content and serves the existing', async (t) => {
  const { store } = createSegmentFixture(t, { ops: createMemoryFileOps(), bytesMax: 6_000_000 })
  await store.put([item('kept')])
  await assert.rejects(addLeaves(store, file(8_000_000, 6)), faultOf('no_space'))
  const large = { ...item('large'), bytes: new Uint8Array(7_000_000) }
  await assert.rejects(store.put([item('parallel'), large]), faultOf('no_space'))
  assert.equal(store.peek(item('beside').ref), null)
  assert.deepEqual(store.peek(item('kept').ref), item('kept').bytes)
  await store.put([item('small')])
  assert.deepEqual(store.peek(item('small').ref), item('small').bytes)
})

for (const [code, fault] of [
  ['ENOSPC', 'no_space'],
  ['EIO', 'internal'],
] as const) {
  test(`a write that fails with ${code} is answered with ${fault}, and the next one goes on`, async (t) => {
    const ops = createFailingFileOps(createMemoryFileOps())
    const { store } = createSegmentFixture(t, { ops })
    await store.put([item('kept')])
    const content = file(9_000_000, 7)
    ops.fail('writev', 2, code)
    await assert.rejects(addLeaves(store, content), faultOf(fault))
    ops.heal()
    const pieces = await readLeaves(store, await addLeaves(store, content))
    assert.deepEqual(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))), content)
    assert.deepEqual(store.peek(item('kept').ref), item('kept').bytes)
    assert.equal(store.isWritable, true)
  })
}

for (const code of ['ENOSPC', 'EIO']) {
  test(`a combined write and sync of the log that fails with ${code} acknowledges no block`, async (t) => {
    const ops = createFailingFileOps(createMemoryFileOps())
    const { store } = createSegmentFixture(t, { ops })
    await store.put([item('kept')])
    ops.fail('writev', 1, code)
    await assert.rejects(store.put([item('lost')]), faultOf('no_space'))
    ops.heal()
    assert.equal(store.peek(item('lost').ref), null)
    assert.deepEqual(store.peek(item('kept').ref), item('kept').bytes)
    // If the device is not full, the sync may have failed.
    assert.equal(store.isWritable, code === 'ENOSPC')
    if (!store.isWritable) return
    await store.put([item('lost')])
    assert.deepEqual(store.peek(item('lost').ref), item('lost').bytes)
  })
}

test('a failed sync stops all writes permanently; reads continue', async (t) => {
  for (const how of ['log', 'extent']) {
    const ops = createFailingFileOps(createMemoryFileOps())
    const { store, lines } = createSegmentFixture(t, { ops })
    await store.put([item('kept')])
    ops.fail('datasync', 1, 'EIO')
    if (how === 'log') await assert.rejects(store.put([item('lost')]), faultOf('no_space'))
    else await assert.rejects(addLeaves(store, file(300_000, 8)), faultOf('no_space'))
    ops.heal()
    assert.equal(store.isWritable, false)
    await assert.rejects(store.put([item('later')]), faultOf('no_space'))
    await assert.rejects(addLeaves(store, file(300_000, 9)), faultOf('no_space'))
    assert.deepEqual(store.peek(item('kept').ref), item('kept').bytes)
    assert.equal(store.peek(item('lost').ref), null)
    assert.equal(lines.filter((line) => line.includes('segments_not_synced')).length, 1)
  }
})

test('a synced write is submitted before other callers run, from the second on', async (t) => {
  const ops = createSystemFiles()
  const file = await ops.open(join(temporaryPath(t), 'log'), { create: true })
  await ops.writeSynced(file, [Buffer.alloc(4096)], 0)
  const handedOver = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'FSReqCallback').length
  const before = handedOver()
  const written = ops.writeSynced(file, [Buffer.alloc(4096)], 4096)
  assert.equal(handedOver(), before + 1)
  await written
  await ops.close(file)
})

const noProc = process.platform === 'linux' ? false : 'of Linux alone'

/** Null: closed in the meantime. */
function targetOf(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return null
  }
}

test(
  'concurrent synced writes have a file descriptor each, and all are closed',
  { skip: noProc },
  async (t) => {
    const ops = createSystemFiles()
    const path = join(temporaryPath(t), 'log')
    const openOnes = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => targetOf(fd) === path).length
    const file = await ops.open(path, { create: true })
    for (let turn = 0; turn < 3; turn += 1) {
      const writes = [0, 1, 2].map((index) =>
        ops.writeSynced(file, [Buffer.alloc(4096)], index * 4096),
      )
      await Promise.all(writes)
      assert.equal(openOnes(), 4)
    }
    await ops.close(file)
    assert.equal(openOnes(), 0)
  },
)

test('a file that cannot be opened once more refuses the current write only', async (t) => {
  const ops = createMemoryFileOps()
  let isRefused = false
  const { store } = createSegmentFixture(t, {
    ops: {
      ...ops,
      async writeSynced(...write) {
        if (isRefused) throw Object.assign(systemError('EMFILE'), { syscall: 'open' })
        await ops.writeSynced(...write)
      },
    },
  })
  await store.put([item('before')])
  isRefused = true
  await assert.rejects(store.put([item('meanwhile')]), faultOf('internal'))
  isRefused = false
  await store.put([item('after')])
  assert.equal(store.isWritable, true)
  assert.deepEqual(store.peek(item('after').ref), item('after').bytes)
})

test('an unreadable block is null in a run and thrown by find, and its row stays', async (t) => {
  const ops = createFailingFileOps(createMemoryFileOps())
  const { store } = createSegmentFixture(t, { ops })
  const leaves = await addLeaves(store, file(600_000, 10))
  const [first] = leaves
  assert.ok(first)
  ops.fail('read', 1, 'EIO', true)
  assert.deepEqual(await readLeaves(store, leaves), [null, null, null])
  assert.throws(() => store.peek({ kind: 'dag-block', hash: first.multihash }), { code: 'EIO' })
  ops.heal()
  assert.ok((await readLeaves(store, leaves)).every((piece) => piece !== null))
})

test('a block that was found stays as it was, however many are found after it', async (t) => {
  const { store } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const items = Array.from({ length: 200 }, (_, index) => item('x'.repeat(index * 60) + index))
  for (const each of items) await store.put([each])
  const found = items.map(({ ref }) => store.peek(ref))
  assert.deepEqual(
    found,
    items.map(({ bytes }) => bytes),
  )
})

test('no slot and no buffer stays out when work ends, well or badly', async (t) => {
  const ops = createFailingFileOps(createMemoryFileOps())
  const { store } = createSegmentFixture(t, { ops, limits: { slots: 2, readBuffers: 2 } })
  const content = file(17_000_000, 11)
  for (let round = 0; round < 3; round += 1) {
    ops.fail('writev', 2, 'ENOSPC')
    await assert.rejects(addLeaves(store, content.subarray(round * 4096)))
  }
  ops.heal()
  const [one, two, three] = await Promise.all([
    addLeaves(store, content),
    addLeaves(store, file(9_000_000, 12)),
    addLeaves(store, file(9_000_000, 13)),
  ])
  const runs = await Promise.all([one, two, three].map((leaves) => readLeaves(store, leaves)))
  for (const pieces of runs) assert.ok(pieces.every((piece) => piece !== null))
  const refs = one.map(({ multihash }) => ({ kind: 'dag-block' as const, hash: multihash }))
  for (let left = 0; left < 5; left += 1) {
    for await (const group of store.read(refs, new AbortController().signal)) {
      assert.ok(group[0])
      break
    }
  }
  assert.ok((await readLeaves(store, one)).every((piece) => piece !== null))
})

test('a reader that stops has little read ahead for it, and less while many buffers are out', async (t) => {
  const memory = createMemoryFileOps()
  let bytes = 0
  const ops = {
    ...memory,
    async read(...args: Parameters<typeof memory.read>) {
      bytes += args[1].length
      return await memory.read(...args)
    },
  }
  const { store } = createSegmentFixture(t, { ops, limits: { readBuffers: 8 } })
  const leaves = await addLeaves(store, file(20_000_000, 17))
  const refs = leaves.map(({ multihash }) => ({ kind: 'dag-block' as const, hash: multihash }))
  const mib = 1024 * 1024
  const runs = [3 * mib, 1 * mib, 1 * mib].map((most) => {
    const run = store.read(refs, new AbortController().signal)
    return { run, most }
  })
  for (const { run, most } of runs) {
    bytes = 0
    assert.equal((await run.next()).done, false)
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    assert.equal(bytes, most)
  }
  for (const { run } of runs) await run.return(undefined)
  assert.ok((await readLeaves(store, leaves)).every((piece) => piece !== null))
})

test('the first read of a range uses direct I/O, later ones the page cache', async (t) => {
  const memory = createMemoryFileOps()
  const past = new Set<unknown>()
  const reads: string[] = []
  const ops = {
    ...memory,
    async open(path: string, how: { direct?: boolean; create?: boolean } = {}) {
      const opened = await memory.open(path, how)
      if (how.direct === true && how.create !== true) past.add(opened)
      return opened
    },
    async read(...args: Parameters<typeof memory.read>) {
      const [file, into, at] = args
      if (past.has(file))
        assert.deepEqual([into.length % 4096, at % 4096, into.byteOffset % 4096], [0, 0, 0])
      reads.push(past.has(file) ? 'past' : 'through')
      return await memory.read(...args)
    },
  }
  const { store } = createSegmentFixture(t, { ops })
  const content = file(1_500_001, 3)
  const leaves = await addLeaves(store, content)
  for (const expected of ['past', 'through', 'through']) {
    reads.length = 0
    const pieces = await readLeaves(store, leaves)
    assert.deepEqual(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))), content)
    assert.deepEqual(new Set(reads), new Set([expected]))
  }
})

for (const when of ['open', 'read'] as const) {
  test(`a file system that refuses reads past its cache at ${when} is read through it, asked once`, async (t) => {
    const memory = createMemoryFileOps()
    const past = new Set<unknown>()
    let refused = 0
    const ops = {
      ...memory,
      async open(path: string, how: { direct?: boolean; create?: boolean } = {}) {
        const reading = how.direct === true && how.create !== true
        if (reading && when === 'open') {
          refused += 1
          throw systemError('EINVAL', path)
        }
        const opened = await memory.open(path, how)
        if (reading) past.add(opened)
        return opened
      },
      async read(...args: Parameters<typeof memory.read>) {
        if (past.has(args[0])) {
          refused += 1
          throw systemError('EINVAL')
        }
        return await memory.read(...args)
      },
    }
    const { store } = createSegmentFixture(t, { ops })
    const content = file(9_500_001, 4)
    const leaves = await addLeaves(store, content)
    const pieces = await readLeaves(store, leaves)
    assert.deepEqual(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))), content)
    // Writes that were already running when the first one was refused.
    assert.ok(refused >= 1 && refused <= 3, String(refused))
  })
}

test('chain rows may use the space that segments leave, also in a store that is opened later', async (t) => {
  const ops = createMemoryFileOps()
  const { store, db } = createSegmentFixture(t, { ops, bytesMax: 4_000_000 })
  const header = (bytes: number, name: string) => ({
    ...item(name, 'header'),
    bytes: new Uint8Array(bytes),
  })
  await store.put([header(500_000, 'one')])
  await addLeaves(store, file(2_500_000, 14))
  await assert.rejects(store.put([header(1_500_000, 'two')]), faultOf('no_space'))
  const later = createSegmentFixture(t, { ops, db, bytesMax: 4_000_000 })
  await assert.rejects(later.store.put([header(1_500_000, 'two')]), faultOf('no_space'))
  await later.store.put([header(100_000, 'three')])
})

test('a reader in another process sees the blocks that a running store wrote since', async (t) => {
  const ops = createMemoryFileOps()
  const { store, db } = createSegmentFixture(t, { ops })
  const beside = createSegmentFixture(t, { ops, db })
  await store.put([item('later')])
  const leaves = await addLeaves(store, file(300_000, 15))
  assert.deepEqual(beside.store.peek(item('later').ref), item('later').bytes)
  assert.ok((await readLeaves(beside.store, leaves)).every((piece) => piece !== null))
  const copies: string[] = []
  for await (const { ref, bytes } of listBlocks(db, ops, '/store')) {
    assert.ok(bytes)
    verifyDagBlock(ref.hash, bytes)
    copies.push(ref.kind)
    if (copies.length === 1) await store.put([item('while it is listed')])
  }
  assert.equal(copies.length, 4)
})

test('a nearly full device accepts no more bytes, and accepts them again once it has space', async (t) => {
  const device = { free: 33 * 1024 * 1024, all: 2 ** 40 }
  const ops = { ...createMemoryFileOps(), diskSpaceNow: () => device }
  const { store } = createSegmentFixture(t, { ops })
  await store.put([item('fits')])
  device.free = 32 * 1024 * 1024 + 1000
  const large = item('x'.repeat(1_048_576))
  await assert.rejects(store.put([large]), { code: 'no_space' })
  await assert.rejects(addLeaves(store, Buffer.alloc(300_000), 262_144), { code: 'no_space' })
  assert.ok(await store.has(item('fits').ref))
  device.free = 2 ** 30
  await store.put([large])
  assert.ok(await store.has(large.ref))
})
