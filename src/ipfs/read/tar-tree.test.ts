// Archives: what other programs extract from them, and the names that are refused.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { CID } from 'multiformats/cid'
import {
  atOnce,
  bytesOf,
  createFilesFixture,
  fileEntry,
  importAll,
  never,
  rootOf,
} from '../../../test/fakes/files/files-fixture.ts'
import { readTar } from '../../../test/fakes/files/read-tar.ts'
import { cidOf, dagPbCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import type { UploadEntry } from '../import/upload-entry.ts'
import { tarTree } from './tar-tree.ts'

const now = { seconds: 1_000_000_000n, nanos: 0 }

function bench(t: TestContext) {
  const fixture = createFilesFixture(t)
  const { files, store } = fixture
  async function pack(cid: CID, terms: { precise?: boolean; entriesMax?: number } = {}) {
    const stat = await files.stat(cid, atOnce, never)
    const all = { precise: true, now, entriesMax: 1000, ...terms }
    return await bytesOf(tarTree(files, { cid, name: 'root', stat }, all, atOnce, never))
  }
  /** A directory with exactly these links, even invalid ones. */
  async function directory(links: readonly (readonly [string, CID])[]): Promise<CID> {
    const bytes = encodeDagNode({
      links: links.map(([name, cid]) => ({ name, cid: cid.bytes, size: 0n })),
      data: encodeUnixfs({ type: 'directory' }),
    })
    const cid = cidOf(1, dagPbCodec, multihashOf('sha2-256', bytes))
    await store.put([{ ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes }])
    return cid
  }
  return { files, pack, directory }
}

const longName = `${'long '.repeat(30)}näme.txt`
const tree = (): UploadEntry[] => [
  {
    ...fileEntry('root/a.txt', 'hello\n'),
    mode: 0o600,
    mtime: { seconds: 5n, nanos: 600_000_000 },
  },
  fileEntry(`root/deep/${longName}`, 'x'.repeat(513)),
  { kind: 'symlink', path: 'root/link', target: 'deep/é' },
  fileEntry('root/empty', ''),
  { kind: 'directory', path: 'root/void' },
]
const preserve = { preserveMode: true, preserveMtime: true }

test('entries have their names, modes, times and targets, or the defaults', async (t) => {
  const { files, pack } = bench(t)
  const { cid } = rootOf(await importAll(files, tree(), preserve))
  const shown = (archive: Buffer) =>
    readTar(archive).map(({ content, ...rest }) => [...Object.values(rest), content.length])
  const later = '1000000000'
  const rest = [
    ['root/deep', '5', 0o755, later, '', 0],
    [`root/deep/${longName}`, '0', 0o644, later, '', 513],
    ['root/empty', '0', 0o644, later, '', 0],
    ['root/link', '2', 0o777, later, 'deep/é', 0],
    ['root/void', '5', 0o755, later, '', 0],
  ]
  const root = ['root', '5', 0o755, later, '', 0]
  const precise = await pack(cid)
  assert.equal(precise.length % 512, 0)
  assert.deepEqual(shown(precise), [root, ['root/a.txt', '0', 0o600, '5.6', '', 6], ...rest])
  const rounded = await pack(cid, { precise: false })
  assert.deepEqual(shown(rounded), [root, ['root/a.txt', '0', 0o600, '6', '', 6], ...rest])
})

const hasTar = spawnSync('tar', ['--version']).status === 0

test(
  'tar unpacks what was packed',
  { skip: !hasTar && 'left out: no tar program here to unpack with' },
  async (t) => {
    const { files, pack } = bench(t)
    const { cid } = rootOf(await importAll(files, tree(), preserve))
    const folder = mkdtempSync(join(tmpdir(), 'cairn-tar-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: await pack(cid) })
    assert.equal(unpacked.stderr.toString(), '')
    const path = (...parts: string[]) => join(folder, 'root', ...parts)
    assert.equal(readFileSync(path('a.txt'), 'utf8'), 'hello\n')
    assert.equal(statSync(path('a.txt')).mtimeMs, 5600)
    assert.equal(readFileSync(path('deep', longName)).length, 513)
    assert.equal(readlinkSync(path('link')), 'deep/é')
    assert.ok(statSync(path('void')).isDirectory())
  },
)

test('a sharded directory is packed whole', async (t) => {
  const { files, pack } = bench(t)
  const many = Array.from({ length: 4000 }, (_, i) => fileEntry(`root/${'n'.repeat(60)}${i}`, 'x'))
  const { cid } = rootOf(await importAll(files, many))
  const names = readTar(await pack(cid, { entriesMax: 4001 })).map(({ path }) => path)
  assert.equal(new Set(names).size, 4001)
  await assert.rejects(pack(cid, { entriesMax: 4000 }), /more than 4000 entries/)
})

test('names that could lead out of the folder are refused', async (t) => {
  const { files, pack, directory } = bench(t)
  const { cid: file } = rootOf(await importAll(files, [fileEntry('x', 'x')]))
  const message = 'relative UnixFS paths outside the root are not allowed, use CAR instead'
  for (const name of ['..', '.', '', '../x', '/etc/x', 'a/../../x', 'a/b', 'a\0b']) {
    await assert.rejects(pack(await directory([[name, file]])), { message }, JSON.stringify(name))
  }
  const { cid: link } = rootOf(
    await importAll(files, [{ kind: 'symlink', path: 'l', target: '/etc' }]),
  )
  const inside = await directory([['passwd', file]])
  const twice = await directory([
    ['a', link],
    ['a', inside],
  ])
  await assert.rejects(pack(twice), /two entries named "a"/)
})

test('a name that leads up inside the root is an entry of the folder it leads to, once', async (t) => {
  const { files, pack, directory } = bench(t)
  const { cid: file } = rootOf(await importAll(files, [fileEntry('x', 'x')]))
  const { cid: link } = rootOf(
    await importAll(files, [{ kind: 'symlink', path: 'l', target: '/etc' }]),
  )
  const below = async (name: string, ...beside: (readonly [string, CID])[]) =>
    await directory([
      ['sub', await directory([['deep', await directory([[name, file]])]])],
      ...beside,
    ])
  const paths = async (root: CID) => readTar(await pack(root)).map(({ path }) => path)
  const folders = ['root', 'root/sub', 'root/sub/deep']
  assert.deepEqual(await paths(await below('../x')), [...folders, 'root/sub/x'])
  assert.deepEqual(await paths(await below('../../x')), [...folders, 'root/x'])
  const message = 'relative UnixFS paths outside the root are not allowed, use CAR instead'
  for (const name of ['../../../x', '../', '../..', '../../sub/x', '.././x', '..//x']) {
    await assert.rejects(pack(await below(name)), { message }, name)
  }
  // No entry replaces another one, and nothing is written through a link.
  await assert.rejects(pack(await below('../deep')), /two entries named "deep"/)
  await assert.rejects(pack(await below('../../x', ['x', link])), /two entries named "x"/)
  await assert.rejects(pack(await below('../../l/x', ['l', link])), { message })
})

test('depth is bounded, and a small DAG of endless paths ends at the bound', async (t) => {
  const { pack, directory, files } = bench(t)
  const { cid: file } = rootOf(await importAll(files, [fileEntry('x', 'x')]))
  let deep = file
  for (let level = 0; level < 130; level += 1) deep = await directory([['d', deep]])
  await assert.rejects(pack(deep), /over 128 levels or 8192 bytes/)
  let wide = file
  for (let level = 0; level < 40; level += 1) {
    wide = await directory([
      ['a', wide],
      ['b', wide],
    ])
  }
  await assert.rejects(pack(wide), /more than 1000 entries/)
})
