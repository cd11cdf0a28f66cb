import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createBackupFixture, never, objectsOf } from '../../test/fakes/files/backup-fixture.ts'
import { noise } from '../../test/fakes/seeded.ts'
import { createDutyCycle } from '../base/duty-cycle.ts'
import { systemClock } from '../base/clock.ts'
import type { ContentRef } from '../content/ref.ts'
import { listBackups, listBackupIds, removeOldBackups } from './list-backups.ts'
import { runBackup } from './run-backup.ts'
import type { BackupTarget } from './target.ts'

const s3 = { endpoint: null, region: 'x', accessKeyId: null, secretAccessKey: null }

/** Fills some segments of 64 KiB. */
async function fill(
  fixture: Awaited<ReturnType<typeof createBackupFixture>>,
  name: string,
  blocks = 10,
): Promise<void> {
  for (let index = 0; index < blocks; index += 1) {
    await fixture.put(noise(`${name} ${index}`, 20_000))
  }
}

test('a backup contains database, identity and segments, and leaves nothing behind in the data folder', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one')
  const before = await readdir(fixture.dataDir)
  const result = await fixture.backUp()
  const { files, missing, id } = await fixture.manifest()
  assert.equal(id, result.id)
  assert.deepEqual(missing, [])
  const logs = (await readdir(join(fixture.dataDir, 'store/log'))).map(
    (name) => `store/log/${name}`,
  )
  assert.ok(logs.length >= 3)
  assert.deepEqual(
    files.map(({ path }) => path).toSorted(),
    ['cairn.db', 'identity.pem', ...logs].toSorted(),
  )
  assert.equal(result.storedFiles, files.length)
  const after = (await readdir(fixture.dataDir)).filter((name) => name !== 'backup.lock')
  assert.deepEqual(after, before)
})

test('a final segment is stored once and shared by hard link; a growing one is copied', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one')
  await fixture.age()
  await fixture.backUp()
  const { files } = await fixture.manifest()
  const finals = files.filter(({ modified }) => modified !== null)
  const logs = files.filter(({ path }) => path.endsWith('.log'))
  assert.equal(finals.length, logs.length - 1)
  for (const { path, sha256, modified } of logs) {
    const [object, segment] = await Promise.all([
      stat(join(fixture.targetDir, 'objects', sha256)),
      stat(join(fixture.dataDir, path)),
    ])
    assert.equal(object.ino === segment.ino, modified !== null, path)
  }
  const again = await fixture.backUp()
  // The database has the same rows, but a copy may have other bytes.
  assert.ok(again.storedFiles <= 1, `${again.storedFiles} files stored`)
  await fill(fixture, 'two', 2)
  const third = await fixture.backUp()
  assert.ok(third.storedFiles <= 3 && third.storedFiles >= 2)
})

test('a final segment whose object is known is not read again', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one')
  await fixture.age()
  await fixture.backUp()
  const before = await fixture.manifest()
  const segment = before.files.find(({ modified }) => modified !== null)
  assert.ok(segment)
  // Other bytes with the same length and time: reading the file would reveal the change.
  const path = join(fixture.dataDir, segment.path)
  const { atime, mtime } = await stat(path)
  await rm(path)
  await writeFile(path, Buffer.alloc(segment.bytes))
  await utimes(path, atime, mtime)
  await fixture.backUp()
  const after = await fixture.manifest()
  assert.deepEqual(after.files.find((file) => file.path === segment.path)?.sha256, segment.sha256)
})

test('a collection that removes segments during a backup takes nothing from it', async (t) => {
  const fixture = await createBackupFixture(t)
  const { store, target, database } = fixture
  const refs: ContentRef[] = []
  for (let index = 0; index < 12; index += 1) {
    refs.push(await fixture.put(noise(`dead ${index}`, 20_000)))
  }
  await fixture.age()
  const segmentsBefore = await readdir(join(fixture.dataDir, 'store/log'))
  let collected = false
  // Garbage collection runs while the first object is stored.
  const slow: BackupTarget = {
    ...target,
    async store(sha256, file, signal) {
      if (!collected) {
        collected = true
        await store.delete(refs.map(({ hash }) => hash))
        const dutyCycle = createDutyCycle({ clock: systemClock, writeCount: () => 0 })
        await store.segments.free(store.segments.sealed(), new Map(), dutyCycle, never)
      }
      await target.store(sha256, file, signal)
    },
  }
  await fixture.backUp({ to: slow })
  assert.ok((await readdir(join(fixture.dataDir, 'store/log'))).length < segmentsBefore.length)
  assert.equal(database.getValue('SELECT count(*) FROM block'), 0)
  const { files } = await fixture.manifest()
  const objects = await objectsOf(fixture.targetDir)
  assert.equal(files.filter(({ path }) => path.endsWith('.log')).length, segmentsBefore.length)
  for (const { sha256, bytes } of files) assert.equal(objects.get(sha256), bytes)
})

test('an interrupted backup leaves earlier ones whole, and the next one continues with its objects', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one')
  await fixture.backUp()
  await fill(fixture, 'two', 12)
  await fixture.age()
  const ending = new AbortController()
  let stores = 0
  const cut: BackupTarget = {
    ...fixture.target,
    async store(sha256, file, signal) {
      await fixture.target.store(sha256, file, signal)
      if ((stores += 1) === 4) ending.abort(new Error('cut'))
    },
  }
  await assert.rejects(fixture.backUp({ to: cut, signal: ending.signal }), /cut/)
  assert.equal((await listBackupIds(fixture.target, never)).length, 1)
  assert.ok(!existsSync(join(fixture.dataDir, 'backup-staging')))
  const next = await fixture.backUp()
  const { files } = await fixture.manifest()
  assert.ok(next.storedFiles <= files.length - 3, `${next.storedFiles} of ${files.length} stored`)
  assert.equal((await listBackups(fixture.target, never)).length, 2)
})

test('old backups are removed with the objects that no other backup needs', async (t) => {
  const fixture = await createBackupFixture(t)
  for (const name of ['one', 'two', 'three']) {
    await fill(fixture, name, 3)
    await fixture.age()
    await fixture.backUp()
  }
  const ids = await listBackupIds(fixture.target, never)
  assert.equal(await removeOldBackups(fixture.target, 2, never), 1)
  assert.deepEqual(await listBackupIds(fixture.target, never), ids.slice(1))
  const task = {
    dataDir: fixture.dataDir,
    server: 'aa'.repeat(32),
    version: '0',
    to: fixture.targetDir,
    s3,
    keep: 1,
  }
  const result = await runBackup(task, { clock: systemClock, signal: never })
  assert.deepEqual([result.removed, result.notRemoved], [2, null])
  const { files } = await fixture.manifest()
  const needed = new Set(files.map(({ sha256 }) => sha256))
  assert.deepEqual(new Set((await objectsOf(fixture.targetDir)).keys()), needed)
})

test('no object is removed while a manifest cannot be read', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one', 1)
  const first = await fixture.backUp()
  await fixture.backUp()
  await truncate(join(fixture.targetDir, 'backups', `${first.id}.json`), 20)
  const before = await objectsOf(fixture.targetDir)
  await assert.rejects(removeOldBackups(fixture.target, 2, never), new RegExp(first.id))
  assert.deepEqual(await objectsOf(fixture.targetDir), before)
  const damaged: string[] = []
  assert.equal((await listBackups(fixture.target, never, (why) => damaged.push(why))).length, 1)
  assert.equal(damaged.length, 1)
  // The next backup is independent of it.
  await fixture.backUp()
})

test('a target of another server is refused before anything is written', async (t) => {
  const fixture = await createBackupFixture(t)
  await fixture.backUp()
  const before = await objectsOf(fixture.targetDir)
  await fill(fixture, 'one', 1)
  await assert.rejects(fixture.backUp({ server: 'bb' }), /contains backups of another server/)
  assert.deepEqual(await objectsOf(fixture.targetDir), before)
})

test('a target that loses an object during the backup gets no manifest', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one', 2)
  const forgetful: BackupTarget = {
    ...fixture.target,
    async store(sha256, file, signal) {
      await fixture.target.store(sha256, file, signal)
      if (file.path.endsWith('cairn.db')) await fixture.target.remove('objects', sha256, signal)
    },
  }
  await assert.rejects(
    fixture.backUp({ to: forgetful }),
    /does not contain cairn\.db after it was stored/,
  )
  assert.deepEqual(await listBackupIds(fixture.target, never), [])
})

test('an object that was cut short is stored again', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one')
  await fixture.age()
  await fixture.backUp()
  const { files } = await fixture.manifest()
  const file = files.find(({ path }) => path === 'identity.pem')
  assert.ok(file)
  const path = join(fixture.targetDir, 'objects', file.sha256)
  await truncate(path, 3)
  await fixture.backUp()
  assert.equal(await readFile(path, 'utf8'), 'the identity\n')
})

test('a lost segment does not prevent a backup, and the manifest names it', async (t) => {
  const fixture = await createBackupFixture(t)
  await fill(fixture, 'one')
  await rm(join(fixture.dataDir, 'store/log/1.log'))
  const result = await fixture.backUp()
  assert.deepEqual(result.missing, [1])
  assert.deepEqual((await fixture.manifest()).missing, [1])
})

test('one backup of a folder runs at a time', async (t) => {
  const fixture = await createBackupFixture(t)
  const first = fixture.backUp()
  await assert.rejects(fixture.backUp(), /another backup of .* is running/)
  await first
  await fixture.backUp()
})

test('a target in the data folder is refused', async (t) => {
  const fixture = await createBackupFixture(t)
  const { dataDir } = fixture
  for (const to of [dataDir, join(dataDir, 'backups')]) {
    const task = { dataDir, server: '', version: '0', to, s3, keep: null }
    const running = runBackup(task, { clock: systemClock, signal: never })
    await assert.rejects(running, /is in the data folder/)
  }
})
