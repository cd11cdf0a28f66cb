// Tests of the commands on a real store: replies have Kubo's shapes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileCommands, type Options } from '../../../test/fakes/files/file-commands.ts'
import { fileEntry } from '../../../test/fakes/files/files-fixture.ts'
import type { UploadEntry } from '../../ipfs/import/upload-entry.ts'
import type { Files } from '../../ipfs/files.ts'

test('cat carries offset and length over several files', async (t) => {
  const { add, cat } = createFileCommands(t)
  const [abc, defg] = [await add('a', 'abc'), await add('b', 'defg')]
  const both = [abc, defg]
  assert.deepEqual(await cat(both), ['abcdefg', 7n])
  assert.deepEqual(await cat(both, { offset: 1n, length: 4n }), ['bcde', 4n])
  assert.deepEqual(await cat(both, { offset: 3n }), ['defg', 4n])
  assert.deepEqual(await cat(both, { offset: 5n, length: 9n }), ['fg', 2n])
  assert.deepEqual(await cat(both, { offset: 8n }), ['', 0n])
  assert.deepEqual(await cat(both, { length: 3n }), ['abc', 3n])
  assert.deepEqual(await cat([abc], { offset: 9n }), ['', 0n])
  assert.deepEqual(await cat(['not resolved'], { length: 0n }), ['', 0n])
})

test('pin/ls lists by kind, filters by name, and answers arguments in their order', async (t) => {
  const { add, lines, value, run } = createFileCommands(t)
  const wrapped = [fileEntry('x', 'inside')]
  const tree = (await lines('add', [], { 'wrap-with-directory': true }, wrapped)) as {
    Hash: string
  }[]
  const [inner, root] = tree.map((line) => line.Hash) as [string, string]
  const direct = await add('d', 'direct', { pin: false })
  await run('pin/add', [direct], { recursive: false, name: 'my direct' })
  const all = { stream: true, names: true }
  assert.deepEqual(await lines('pin/ls', [], all), [
    { Cid: root, Type: 'recursive' },
    { Cid: direct, Name: 'my direct', Type: 'direct' },
    { Cid: inner, Type: 'indirect' },
  ])
  const types = async (options: Options) => {
    const { Keys = {} } = (await value('pin/ls', [], options)) as { Keys?: object }
    return Object.keys(Keys)
  }
  assert.deepEqual(await types({}), [root, direct, inner].toSorted())
  assert.deepEqual(await types({ type: 'indirect' }), [inner])
  assert.deepEqual(await types({ name: 'DIRECT' }), [])
  assert.deepEqual(await types({ name: 'direct' }), [direct])
  assert.deepEqual(await lines('pin/ls', [inner, direct, root], { stream: true }), [
    { Cid: inner, Type: `indirect through ${root}` },
    { Cid: direct, Type: 'direct' },
    { Cid: root, Type: 'recursive' },
  ])
  const message = `path '${direct}' is not pinned`
  await assert.rejects(value('pin/ls', [root, direct], { type: 'recursive' }), { message })
  await run('pin/rm', [root])
  await assert.rejects(value('pin/ls', [root]), { message: `path '${root}' is not pinned` })
})

test('pin/add reports progress every half second, only with progress=true', async (t) => {
  const { files, clock, add, run, value } = createFileCommands(t)
  const cid = await add('a', 'abc')
  assert.deepEqual(await value('pin/add', [cid]), { Pins: [cid] })
  const begun = Promise.withResolvers<void>()
  const pinned = Promise.withResolvers<void>()
  let report: (blocks: number, bytes: bigint) => void = () => {}
  const slow: Files = {
    ...files,
    async pin(_account, _pin, _patience, progress) {
      progress(3, 42n)
      report = progress
      begun.resolve()
      await pinned.promise
    },
  }
  const reply = await run('pin/add', [cid], { progress: true }, null, slow)
  assert.ok(reply.kind === 'events' && reply.live)
  const iterator = reply.lines[Symbol.asyncIterator]()
  const first = iterator.next()
  await begun.promise
  clock.advance(500)
  assert.deepEqual((await first).value, { Progress: 3, Bytes: 42 })
  report(4, 50n)
  const second = iterator.next()
  clock.advance(500)
  assert.deepEqual((await second).value, { Progress: 4, Bytes: 50 })
  const last = iterator.next()
  pinned.resolve()
  assert.deepEqual((await last).value, { Pins: [cid] })
  assert.equal((await iterator.next()).done, true)
})

test('add echoes what the top-level entry declared, in the order of Kubo', async (t) => {
  const { lines } = createFileCommands(t)
  const entry: UploadEntry = {
    ...fileEntry('a', 'abc'),
    mode: 0o755,
    mtime: { seconds: 5n, nanos: 6 },
  }
  const [line] = await lines('add', [], { 'preserve-mode': true, 'preserve-mtime': true }, [entry])
  assert.deepEqual(Object.keys(line as object), [
    'Name',
    'Hash',
    'Size',
    'Mode',
    'Mtime',
    'MtimeNsecs',
  ])
  assert.equal((line as { Mode: string }).Mode, '0755')
  await assert.rejects(lines('add', [], {}, []), { message: 'expected a file argument' })
})

test('version is a version Go can parse', async (t) => {
  const { value } = createFileCommands(t)
  const version = (await value('version')) as Record<string, string>
  assert.deepEqual(Object.keys(version), ['Version', 'Commit', 'Repo', 'System', 'Golang'])
  assert.match(version['Version'] ?? '', /^\d+\.\d+\.\d+$/)
})
