// Promises of the file operations on a real file side: what Kubo refuses is refused in its order and words, what
// is not built is refused by name, and answers have Kubo's shapes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileCommands, given, type Options } from '../../../test/fakes/file-commands.ts'
import { fileEntry } from '../../../test/fakes/files-fixture.ts'
import type { Entry } from '../../ipfs/entry.ts'
import type { Files } from '../../ipfs/files.ts'
import { parseChunker } from './chunker.ts'
import { cidPrinter } from './file-options.ts'
import { parseImportOptions } from './import-options.ts'
import { CID } from 'multiformats/cid'

const parse = (options: Options) => parseImportOptions(given(options))

function refuses(options: Options, message: string, code = 'command_failed'): void {
  assert.throws(() => parse(options), { code, message })
}

test("what Kubo refuses to add is refused in Kubo's order and words", () => {
  // Each set breaks its own rule and one that is judged later.
  refuses(
    { 'inline-limit': 129n, 'pin-name': 'x'.repeat(256) },
    'inline-limit 129 exceeds maximum allowed size of 128 bytes',
  )
  refuses({ 'pin-name': 'x'.repeat(256), hash: 'nope' }, 'pin name is 256 bytes (max 255 bytes)')
  refuses(
    { 'preserve-mode': true, 'raw-leaves': true, 'only-hash': true, 'to-files': '/x' },
    "raw-leaves can't be used with UnixFS metadata like mode or modification time",
  )
  refuses({ 'only-hash': true, 'pin-name': 'x' }, 'pin-name option requires pin to be set')
  refuses(
    { 'to-files': '', 'wrap-with-directory': true, hash: 'nope' },
    'wrap-with-directory and to-files options are not compatible',
  )
  refuses({ hash: 'Nope', 'mtime-nsecs': 5n }, 'unrecognized hash function: "Nope"')
  refuses(
    { mtime: 1n, 'mtime-nsecs': 1_000_000_000n },
    'mtime nanoseconds must be in range [1, 999999999]',
  )
  refuses({ 'cid-version': 2n, chunker: 'nope' }, 'unknown CID version: 2')
  refuses(
    { 'max-hamt-fanout': 12n },
    'HAMT fanout must be a power of 2, between 8 and 1024 (got 12)',
  )
})

test('what would change a CID and is not built is refused by name', () => {
  const option = (name: string) => `option "${name}" is not supported by this server`
  const value = (name: string, text: string) =>
    `value "${text}" of option "${name}" is not supported by this server`
  const unbuilt: [Options, string][] = [
    [{ trickle: true }, option('trickle')],
    [{ nocopy: true }, option('nocopy')],
    [{ 'to-files': '/x' }, option('to-files')],
    [{ 'max-directory-links': 5n }, option('max-directory-links')],
    [{ 'max-hamt-fanout': 512n }, option('max-hamt-fanout')],
    [{ 'max-file-links': 1n }, value('max-file-links', '1')],
    [{ 'max-file-links': 1_000_000n }, value('max-file-links', '1000000')],
    [{ 'inline-limit': -1n }, value('inline-limit', '-1')],
    [{ hash: 'blake3' }, value('hash', 'blake3')],
    [{ chunker: 'buzhash' }, value('chunker', 'buzhash')],
    [{ chunker: 'rabin-16-17-18' }, value('chunker', 'rabin-16-17-18')],
  ]
  for (const [options, message] of unbuilt) refuses(options, message, 'unsupported_option')
})

test('options decide each other as in Kubo', () => {
  assert.equal(parse({}).rawLeaves, false)
  assert.equal(parse({ 'cid-version': 1n }).rawLeaves, true)
  assert.equal(parse({ 'cid-version': 1n, mtime: 5n }).rawLeaves, false)
  assert.equal(parse({ hash: 'SHA2-512' }).cidVersion, 1)
  assert.equal(parse({ 'only-hash': true }).pin, false)
  assert.equal(parse({ 'max-file-links': 0n }).maxFileLinks, 174)
  assert.equal(parse({ mode: 644n }).mode, 644 & 0o777)
  assert.deepEqual(parse({ mtime: 5n, 'mtime-nsecs': 6n }).mtime, { seconds: 5n, nanos: 6 })
  assert.equal('mode' in parse({ mode: 0n }), false)
  assert.equal(parse({ nocopy: false, trickle: false }).progress, false)
})

test('a chunker is judged by the whole grammar of Kubo', () => {
  assert.equal(parseChunker(''), 262_144)
  assert.equal(parseChunker('size-2096896'), 2_096_896)
  const texts: [string, string][] = [
    ['size-x', 'strconv.Atoi: parsing "x": invalid syntax'],
    ['size-0', 'chunker size must be greater than 0'],
    ['rabin-12-512-1024', 'rabin min must be greater than 16'],
    ['rabin-512-128-1024', 'incorrect format: rabin-min must be smaller than rabin-avg'],
    ['rabin-128-1024-512', 'incorrect format: rabin-avg must be smaller than rabin-max'],
    ['rabin-avg:128-256-512', 'first label must be min'],
    ['rabin-min:128-max:256-512', 'second label must be avg'],
    ['rabin-128-256-min:512', 'final label must be max'],
    ['rabin-1-2', "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'"],
    ['rabin-2000000', 'chunker parameters may not exceed the maximum chunk size of 2096896'],
    ['fixed', 'unrecognized chunker option: fixed'],
  ]
  for (const [text, message] of texts) assert.throws(() => parseChunker(text), { message }, text)
})

test('cid-base rebases v1 and lifts v0, unless told otherwise', () => {
  const v0 = CID.parse('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
  const shown = (options: Options) => cidPrinter(given(options))(v0)
  assert.equal(shown({}), v0.toString())
  assert.equal(shown({ 'cid-base': 'base58btc' }), v0.toString())
  assert.equal(shown({ 'cid-base': 'base32' }), v0.toV1().toString())
  assert.equal(shown({ 'upgrade-cidv0-in-output': true }), v0.toV1().toString())
  assert.equal(shown({ 'cid-base': 'base32', 'upgrade-cidv0-in-output': false }), v0.toString())
  assert.throws(() => shown({ 'cid-base': 'base3' }), { code: 'command_failed' })
})

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

test('pin/add tells progress every half second, only when asked', async (t) => {
  const { files, clock, add, run, value } = createFileCommands(t)
  const cid = await add('a', 'abc')
  assert.deepEqual(await value('pin/add', [cid]), { Pins: [cid] })
  const begun = Promise.withResolvers<void>()
  const pinned = Promise.withResolvers<void>()
  let tell: (blocks: number, bytes: bigint) => void = () => {}
  const slow: Files = {
    ...files,
    async pin(_account, _pin, _patience, progress) {
      progress(3, 42n)
      tell = progress
      begun.resolve()
      await pinned.promise
    },
  }
  const reply = await run('pin/add', [cid], { progress: true }, null, slow)
  assert.ok(reply.kind === 'events' && reply.live)
  const iterator = reply.lines[Symbol.asyncIterator]()
  const first = iterator.next()
  await begun.promise
  clock.turn(500)
  assert.deepEqual((await first).value, { Progress: 3, Bytes: 42 })
  tell(4, 50n)
  const second = iterator.next()
  clock.turn(500)
  assert.deepEqual((await second).value, { Progress: 4, Bytes: 50 })
  const last = iterator.next()
  pinned.resolve()
  assert.deepEqual((await last).value, { Pins: [cid] })
  assert.equal((await iterator.next()).done, true)
})

test('add echoes what the top-level entry declared, in the order of Kubo', async (t) => {
  const { lines } = createFileCommands(t)
  const entry: Entry = { ...fileEntry('a', 'abc'), mode: 0o755, mtime: { seconds: 5n, nanos: 6 } }
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

test('version is a version Go can parse, and id is a peer id', async (t) => {
  const { value } = createFileCommands(t)
  const version = (await value('version')) as Record<string, string>
  assert.deepEqual(Object.keys(version), ['Version', 'Commit', 'Repo', 'System', 'Golang'])
  assert.match(version['Version'] ?? '', /^\d+\.\d+\.\d+$/)
  const id = (await value('id')) as { ID: string; Addresses: unknown }
  assert.match(id.ID, /^12D3KooW/)
  assert.deepEqual(id.Addresses, [])
})
