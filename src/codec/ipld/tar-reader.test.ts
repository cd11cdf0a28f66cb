import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TarEntry, tarEnd, tarHeader, tarPadding } from './tar.ts'
import { readTar } from './tar-reader.ts'

const plain: TarEntry = {
  path: 'd/a.txt',
  kind: 'file',
  size: 5n,
  mode: 0o644,
  mtime: { seconds: 1_700_000_000n, nanos: 0 },
  target: '',
}

function archive(entries: readonly (readonly [TarEntry, string])[], precise = true): Buffer {
  const parts = entries.flatMap(([entry, content]) => [
    tarHeader(entry, precise),
    Buffer.from(content),
    tarPadding(BigInt(content.length)),
  ])
  return Buffer.concat([...parts, tarEnd()])
}

async function read(bytes: Uint8Array, pieceBytes = bytes.length, drop = false) {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  const found: (readonly [TarEntry, string])[] = []
  for await (const { entry, content } of readTar(pieces())) {
    found.push([entry, drop ? '' : Buffer.concat(await Array.fromAsync(content)).toString()])
  }
  return found
}

const all: readonly (readonly [TarEntry, string])[] = [
  [{ ...plain, path: 'd', kind: 'directory', size: 0n, mode: 0o755 }, ''],
  [plain, 'hello'],
  [
    { ...plain, path: `d/${'long '.repeat(60)}ü`, mtime: { seconds: -2n, nanos: 250_000_000 } },
    'world',
  ],
  [
    { ...plain, path: 'd/link', kind: 'symlink', size: 0n, mode: 0o777, target: 'ß'.repeat(200) },
    '',
  ],
]

test('what our tars hold is read back, however it is cut into pieces', async () => {
  for (const pieceBytes of [1, 511, 512, 4096]) {
    assert.deepEqual(await read(archive(all), pieceBytes), all)
  }
})

test('unread content is skipped', async () => {
  const paths = (await read(archive(all), 100, true)).map(([entry]) => entry.path)
  assert.deepEqual(
    paths,
    all.map(([entry]) => entry.path),
  )
})

test('a tar that is cut short is no tar', async () => {
  const bytes = archive(all)
  for (const length of [0, 100, 512, 600, 1500, bytes.length - 1024]) {
    await assert.rejects(read(bytes.subarray(0, length)), /unexpected EOF/, String(length))
  }
})

test('a header whose sum is wrong, and kinds that are not ours, are refused', async () => {
  const bytes = archive([[plain, 'hello']])
  bytes[0] = 0x65
  await assert.rejects(read(bytes), /a tar header with its sum/)
  const device = Buffer.from(archive([[plain, 'hello']]))
  device[156] = 0x33
  device.write(' '.repeat(8), 148, 'latin1')
  const sum = device.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  device.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  await assert.rejects(read(device), /a file, folder or link, not type "3"/)
})
