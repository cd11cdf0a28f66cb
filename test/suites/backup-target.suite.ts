// The guarantees of every BackupTarget.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BackupTarget, TargetFolder } from '../../src/backup/target.ts'
import { noise } from '../fakes/seeded.ts'

const never = new AbortController().signal

export function testBackupTarget(
  name: string,
  open: (t: TestContext) => Promise<BackupTarget>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options

  async function openWithSource(t: TestContext) {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-source-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const target = await open(t)
    t.after(() => target.close())
    let count = 0
    return {
      target,
      async source(bytes: Uint8Array) {
        const path = join(folder, String(count++))
        await writeFile(path, bytes)
        return { path, sha256: createHash('sha256').update(bytes).digest('hex') }
      },
    }
  }

  async function readAll(
    target: BackupTarget,
    folder: TargetFolder,
    what: string,
  ): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for await (const piece of target.read(folder, what, never)) pieces.push(new Uint8Array(piece))
    return Buffer.concat(pieces)
  }

  test(
    `${name}: objects are read as they were stored: empty, small, and of several parts`,
    { skip },
    async (t) => {
      const { target, source } = await openWithSource(t)
      assert.equal((await target.list('objects', never)).size, 0)
      const sizes = [0, 1, 100_000, 8 * 1024 * 1024, 20 * 1024 * 1024 + 7]
      const expected = new Map<string, number>()
      for (const size of sizes) {
        const bytes = noise(`${name} ${size}`, size)
        const { path, sha256 } = await source(bytes)
        await target.store(sha256, { path, bytes: size, final: false }, never)
        expected.set(sha256, size)
        assert.ok((await readAll(target, 'objects', sha256)).equals(bytes), `${size} bytes`)
      }
      assert.deepEqual(new Map(await target.list('objects', never)), expected)
    },
  )

  test(`${name}: only the first bytes of a file count`, { skip }, async (t) => {
    const { target, source } = await openWithSource(t)
    const { path } = await source(Buffer.from('stones'))
    const sha256 = createHash('sha256').update('stone').digest('hex')
    await target.store(sha256, { path, bytes: 5, final: false }, never)
    assert.equal((await readAll(target, 'objects', sha256)).toString(), 'stone')
    await assert.rejects(
      target.store(sha256, { path, bytes: 7, final: false }, never),
      /has 6 bytes, expected 7/,
    )
  })

  test(`${name}: a file with another digest is not stored`, { skip }, async (t) => {
    const { target, source } = await openWithSource(t)
    for (const size of [10, 17 * 1024 * 1024]) {
      const { path } = await source(noise('other', size))
      const wrong = 'f'.repeat(64)
      await assert.rejects(
        target.store(wrong, { path, bytes: size, final: false }, never),
        /was read twice with different bytes/,
      )
    }
    await target.clear(never)
    assert.equal((await target.list('objects', never)).size, 0)
  })

  test(
    `${name}: manifests are listed, replaced and removed; an absent one is no error`,
    { skip },
    async (t) => {
      const { target } = await openWithSource(t)
      await target.writeManifest('one.json', 'first', never)
      await target.writeManifest('one.json', 'second', never)
      await target.writeManifest('two.json', '2', never)
      assert.deepEqual(
        new Map(await target.list('backups', never)),
        new Map([
          ['one.json', 6],
          ['two.json', 1],
        ]),
      )
      assert.equal((await readAll(target, 'backups', 'one.json')).toString(), 'second')
      await target.remove('backups', 'one.json', never)
      await target.remove('backups', 'one.json', never)
      assert.deepEqual([...(await target.list('backups', never)).keys()], ['two.json'])
      await assert.rejects(readAll(target, 'backups', 'one.json'))
    },
  )

  test(`${name}: an aborted store leaves no object`, { skip }, async (t) => {
    const { target, source } = await openWithSource(t)
    const bytes = noise('aborted', 20 * 1024 * 1024)
    const { path, sha256 } = await source(bytes)
    const ending = new AbortController()
    const storing = target.store(sha256, { path, bytes: bytes.length, final: false }, ending.signal)
    ending.abort(new Error('enough'))
    await assert.rejects(storing, /enough/)
    assert.equal((await target.list('objects', never)).size, 0)
    await target.clear(never)
    await target.store(sha256, { path, bytes: bytes.length, final: false }, never)
    assert.equal((await target.list('objects', never)).get(sha256), bytes.length)
  })
}
