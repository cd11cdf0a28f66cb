import assert from 'node:assert/strict'
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertBlocks, createBackupFixture, never } from '../../test/fakes/files/backup-fixture.ts'
import { noise } from '../../test/fakes/seeded.ts'
import { restoreBackup } from './restore-backup.ts'
import type { BackupTarget } from './target.ts'

test('a restored folder has every block, the keys, and files that only the owner can read', async (t) => {
  const fixture = await createBackupFixture(t)
  const blocks = []
  for (let index = 0; index < 10; index += 1) {
    const bytes = noise(`block ${index}`, 20_000)
    blocks.push({ ref: await fixture.put(bytes), bytes })
  }
  await fixture.age()
  await writeFile(join(fixture.dataDir, 'network.pem'), 'the peer\n', { mode: 0o600 })
  await fixture.backUp()
  const dataDir = fixture.folder('deep/restored')
  const progress: number[] = []
  const manifest = await fixture.manifest()
  const onProgress = (done: number, total: number) => progress.push(done / total)
  await restoreBackup(manifest, fixture.target, { dataDir, signal: never, onProgress })
  assert.equal(progress.at(-1), 1)
  assert.deepEqual((await readdir(dataDir)).toSorted(), [
    'cairn.db',
    'identity.pem',
    'network.pem',
    'store',
  ])
  assert.equal(await readFile(join(dataDir, 'identity.pem'), 'utf8'), 'the identity\n')
  assert.equal(await readFile(join(dataDir, 'network.pem'), 'utf8'), 'the peer\n')
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
  for (const { path } of manifest.files) {
    assert.equal((await stat(join(dataDir, path))).mode & 0o777, 0o600, path)
  }
  await assertBlocks(dataDir, blocks)
})

test('a folder with files is refused and stays as it is; an empty one is used', async (t) => {
  const fixture = await createBackupFixture(t)
  await fixture.backUp()
  const manifest = await fixture.manifest()
  const dataDir = fixture.folder('used')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'mine'), 'x')
  const restoring = restoreBackup(manifest, fixture.target, { dataDir, signal: never })
  await assert.rejects(restoring, /used is not empty \(mine\)/)
  assert.deepEqual(await readdir(dataDir), ['mine'])
  const empty = fixture.folder('empty')
  await mkdir(join(empty, 'lost+found'), { recursive: true })
  await restoreBackup(manifest, fixture.target, { dataDir: empty, signal: never })
  const file = join(dataDir, 'mine')
  await assert.rejects(
    restoreBackup(manifest, fixture.target, { dataDir: file, signal: never }),
    /cannot restore into/,
  )
})

test('a damaged object ends the restore before the database exists, and a second try starts again', async (t) => {
  const fixture = await createBackupFixture(t)
  await fixture.put(noise('one', 20_000))
  await fixture.backUp()
  const manifest = await fixture.manifest()
  const log = manifest.files.find(({ path }) => path.endsWith('.log'))
  assert.ok(log)
  const damaged: BackupTarget = {
    ...fixture.target,
    async *read(folder, name, signal) {
      for await (const piece of fixture.target.read(folder, name, signal)) {
        if (name === log.sha256) piece[0] = (piece[0] ?? 0) ^ 1
        yield piece
      }
    },
  }
  const dataDir = fixture.folder('restored')
  await assert.rejects(
    restoreBackup(manifest, damaged, { dataDir, signal: never }),
    (error: Error) => error.message.includes(log.path) && error.message.includes('is damaged'),
  )
  assert.deepEqual(await readdir(dataDir), ['restoring'])
  await restoreBackup(manifest, fixture.target, { dataDir, signal: never })
  assert.ok((await readdir(dataDir)).includes('cairn.db'))
})
