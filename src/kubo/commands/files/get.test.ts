// Promises of `get`: archives that other programs read, gzip, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { dropBlock } from '../../../../test/fakes/upstream/drop-block.ts'
import { readTar } from '../../../../test/fakes/files/read-tar.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'

test('a file is a tar of one entry named by the last segment of the path', async (t) => {
  const { lines, run, bytes } = createFileCommands(t)
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a.txt', 'hello\n'),
  ])) as { Hash: string }[]
  const [file, root] = all.map((line) => line.Hash) as [string, string]
  for (const [path, name] of [
    [file, file],
    [`/ipfs/${file}/`, file],
    [`ipfs:${file}`, file],
    [`${root}/a.txt`, 'a.txt'],
  ] as const) {
    const [entry, ...rest] = readTar(await bytes('get', [path]))
    assert.deepEqual(
      [entry?.path, entry?.content.toString(), entry?.mode],
      [name, 'hello\n', 0o644],
    )
    assert.deepEqual(rest, [])
  }
  const reply = await run('get', [file])
  assert.ok(reply.kind === 'bytes')
  assert.deepEqual([reply.type, reply.contentLength], ['application/x-tar', 6n])
})

test('compress without archive is the bare file, with archive the tar; a folder must be archived', async (t) => {
  const { add, lines, run, bytes } = createFileCommands(t)
  const content = 'x'.repeat(600_000)
  const file = await add('a', content)
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a', 'abc'),
  ])) as { Hash: string; Size: string }[]
  const root = all.at(-1)?.Hash ?? ''
  const compress = { compress: true, 'compression-level': 9n }
  const bare = await bytes('get', [file], compress)
  assert.ok(bare.length < 5000)
  assert.equal(gunzipSync(bare).toString(), content)
  const packed = gunzipSync(await bytes('get', [root], { ...compress, archive: true }))
  assert.deepEqual(
    readTar(packed).map(({ path }) => path),
    [root, `${root}/a`],
  )
  await assert.rejects(run('get', [root], compress), { message: 'file is not regular' })
  const reply = await run('get', [root], { compress: true, archive: true })
  assert.ok(reply.kind === 'bytes')
  assert.deepEqual(
    [reply.type, reply.contentLength],
    ['application/gzip', BigInt(all.at(-1)?.Size ?? 0)],
  )
})

test('what fails early in an archive is refused in words, before a byte of it is given', async (t) => {
  const commands = createFileCommands(t)
  const { lines, run } = commands
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a', 'abc'),
    fileEntry('b', 'bcd'),
  ])) as { Hash: string }[]
  const [, b, root] = all.map((line) => line.Hash) as [string, string, string]
  const { CID } = await import('multiformats/cid')
  await dropBlock(commands, CID.parse(b).multihash.bytes)
  const reply = await run('get', [root])
  assert.ok(reply.kind === 'bytes')
  await assert.rejects(reply.chunks[Symbol.asyncIterator]().next(), /could not find/)
})

test('a compression level is checked only if it is used', async (t) => {
  const { add, run } = createFileCommands(t)
  const file = await add('a', 'abc')
  const message = 'compression level must be between 1 and 9'
  for (const level of [0n, 10n, -1n]) {
    const options = { compress: true, 'compression-level': level }
    await assert.rejects(run('get', [file], options), { message })
  }
  assert.equal((await run('get', [file], { 'compression-level': 10n })).kind, 'bytes')
})

test('a block that is gone fails the stream, compressed or not', async (t) => {
  const commands = createFileCommands(t)
  const { lines, bytes } = commands
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a', 'abc'),
    fileEntry('b', 'bcd'),
  ])) as { Hash: string }[]
  const [, b, root] = all.map((line) => line.Hash) as [string, string, string]
  const { CID } = await import('multiformats/cid')
  await dropBlock(commands, CID.parse(b).multihash.bytes)
  await assert.rejects(bytes('get', [root]), /could not find/)
  await assert.rejects(bytes('get', [root], { compress: true, archive: true }), /could not find/)
})
