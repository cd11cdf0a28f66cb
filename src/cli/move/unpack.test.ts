import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type TarEntry, tarEnd, tarHeader, tarPadding } from '../../codec/ipld/tar.ts'
import { unpackTar } from './unpack.ts'

type Given = Pick<TarEntry, 'path' | 'kind'> & {
  readonly content?: string
  readonly target?: string
  readonly mode?: number
}

const mtime = { seconds: 1_600_000_000n, nanos: 500_000_000 }

async function* tarOf(entries: readonly Given[], end = true): AsyncGenerator<Uint8Array> {
  for (const { path, kind, content = '', target = '', mode } of entries) {
    const size = BigInt(content.length)
    const usual = kind === 'directory' ? 0o755 : 0o644
    yield tarHeader({ path, kind, size, mode: mode ?? usual, mtime, target }, true)
    yield Buffer.from(content)
    yield tarPadding(size)
  }
  if (end) yield tarEnd()
}

function rig(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-unpack-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const place = join(folder, 'out')
  const unpack = (entries: readonly Given[], { force = false, end = true } = {}) =>
    unpackTar(tarOf(entries, end), place, { force })
  return { folder, place, unpack }
}

const tree: readonly Given[] = [
  { path: 'r', kind: 'directory' },
  { path: 'r/a.txt', kind: 'file', content: 'one', mode: 0o600 },
  { path: 'r/d', kind: 'directory', mode: 0o555 },
  { path: 'r/d/b.sh', kind: 'file', content: 'two', mode: 0o4755 },
  { path: 'r/link', kind: 'symlink', target: '../../elsewhere' },
]

test('a folder is unpacked with permissions, times and links', async (t) => {
  const { place, unpack } = rig(t)
  t.after(() => existsSync(join(place, 'd')) && rmSync(join(place, 'd/b.sh'), { force: true }))
  assert.deepEqual(await unpack(tree), { files: 3, bytes: 6 })
  assert.equal(readFileSync(join(place, 'a.txt'), 'utf8'), 'one')
  assert.equal(lstatSync(join(place, 'a.txt')).mode & 0o7777, 0o600)
  assert.equal(lstatSync(join(place, 'd/b.sh')).mode & 0o7000, 0, 'never setuid')
  assert.equal(lstatSync(join(place, 'd')).mode & 0o222, 0)
  assert.equal(readlinkSync(join(place, 'link')), '../../elsewhere')
  for (const name of ['a.txt', 'd', '.']) {
    assert.equal(lstatSync(join(place, name)).mtimeMs, 1_600_000_000_500, name)
  }
})

test('a lone file becomes the place itself', async (t) => {
  const { folder, place, unpack } = rig(t)
  await unpack([{ path: 'Qm', kind: 'file', content: 'x' }])
  assert.equal(readFileSync(place, 'utf8'), 'x')
  assert.deepEqual(readdirSync(folder), ['out'])
})

test('what leaves the root, or goes through a link or file, is refused and leaves nothing', async (t) => {
  const { folder, unpack } = rig(t)
  const root = { path: 'r', kind: 'directory' } as const
  const evil: readonly (readonly Given[])[] = [
    [root, { path: 'r/../x', kind: 'file' }],
    [root, { path: '../x', kind: 'file' }],
    [root, { path: '/etc/x', kind: 'file' }],
    [root, { path: 'other', kind: 'file' }],
    [root, { path: 'other/x', kind: 'file' }],
    [root, { path: 'r/./x', kind: 'file' }],
    [root, { path: 'r//x', kind: 'file' }],
    [root, { path: 'r', kind: 'file' }],
    [root, { path: 'r/l', kind: 'symlink', target: '..' }, { path: 'r/l/x', kind: 'file' }],
    [
      { path: 'r', kind: 'symlink', target: '..' },
      { path: 'r/x', kind: 'file' },
    ],
    [
      { path: 'r', kind: 'file' },
      { path: 'r/x', kind: 'file' },
    ],
    [{ path: 'r/x', kind: 'file' }],
    [{ path: '..', kind: 'directory' }],
    [],
  ]
  for (const entries of evil) {
    await assert.rejects(unpack(entries), /outside its root|is empty/, JSON.stringify(entries))
  }
  const twice = { path: 'r/l', kind: 'symlink', target: '/etc/passwd' } as const
  await assert.rejects(unpack([root, twice, { ...twice, kind: 'file' }]), /EEXIST/)
  assert.deepEqual(readdirSync(folder), [])
})

test('an archive that breaks off leaves nothing', async (t) => {
  const { folder, unpack } = rig(t)
  await assert.rejects(unpack(tree, { end: false }), /unexpected EOF/)
  assert.deepEqual(readdirSync(folder), [])
})

test('what is there is kept, unless it may be replaced; then files are replaced and others stay', async (t) => {
  const { folder, place, unpack } = rig(t)
  mkdirSync(place)
  writeFileSync(join(folder, 'precious'), 'mine')
  symlinkSync('../precious', join(place, 'a.txt'))
  writeFileSync(join(place, 'other'), 'stays')
  await assert.rejects(unpack(tree), /already exists: use --force/)
  assert.deepEqual(readdirSync(place).toSorted(), ['a.txt', 'other'])
  await unpack(tree.slice(0, 2), { force: true })
  assert.equal(readFileSync(join(place, 'a.txt'), 'utf8'), 'one')
  assert.ok(lstatSync(join(place, 'a.txt')).isFile(), 'the link was replaced, not followed')
  assert.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'mine')
  assert.equal(readFileSync(join(place, 'other'), 'utf8'), 'stays')
  assert.deepEqual(readdirSync(folder).toSorted(), ['out', 'precious'])
})

test('a folder never takes the place of a file, nor a file that of a folder', async (t) => {
  const { place, unpack } = rig(t)
  writeFileSync(place, 'file')
  await assert.rejects(
    unpack(tree.slice(0, 1), { force: true }),
    /is a file, but the new entry is a folder/,
  )
  rmSync(place)
  mkdirSync(place)
  const file = [{ path: 'r', kind: 'file', content: 'x' }] as const
  await assert.rejects(unpack(file, { force: true }), /is a folder, but the new entry is a file/)
})
