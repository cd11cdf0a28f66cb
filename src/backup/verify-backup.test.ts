import assert from 'node:assert/strict'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createBackupFixture, never } from '../../test/fakes/files/backup-fixture.ts'
import { noise } from '../../test/fakes/seeded.ts'
import { type CheckPins, isSound, verifyBackup } from './verify-backup.ts'

const noPins: CheckPins = () => ({ pins: 0, unreadable: 0 })

async function fixtureWithBackup(t: Parameters<typeof createBackupFixture>[0]) {
  const fixture = await createBackupFixture(t)
  for (let index = 0; index < 10; index += 1) await fixture.put(noise(`block ${index}`, 20_000))
  await fixture.backUp()
  const manifest = await fixture.manifest()
  const objectOf = (path: string): string => {
    const file = manifest.files.find((one) => one.path === path)
    assert.ok(file)
    return join(fixture.targetDir, 'objects', file.sha256)
  }
  const verify = (checkPins = noPins, of = manifest) =>
    verifyBackup(of, fixture.target, { checkPins, signal: never })
  return { ...fixture, backup: manifest, objectOf, verify }
}

const verifyFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('cairn-verify-'))

test('a whole backup is sound, and the check leaves no files', async (t) => {
  const { verify, backup } = await fixtureWithBackup(t)
  const before = await verifyFolders()
  const found = await verify(() => ({ pins: 3, unreadable: 0 }))
  assert.ok(isSound(found))
  assert.deepEqual([found.files, found.pins], [backup.files.length, 3])
  assert.deepEqual(await verifyFolders(), before)
})

test('missing, short and changed objects are named', async (t) => {
  const { verify, objectOf } = await fixtureWithBackup(t)
  await rm(objectOf('identity.pem'))
  await truncate(objectOf('store/log/1.log'), 100)
  await writeFile(objectOf('store/log/2.log'), noise('other', 60_000))
  const found = await verify()
  assert.ok(!isSound(found))
  assert.deepEqual(found.damaged.map(({ path }) => path).toSorted(), [
    'identity.pem',
    'store/log/1.log',
    'store/log/2.log',
  ])
})

test('a damaged database, a lost segment and unreadable pins are found', async (t) => {
  const { verify, objectOf, backup } = await fixtureWithBackup(t)
  const without = {
    ...backup,
    files: backup.files.filter(({ path }) => path !== 'store/log/1.log'),
  }
  assert.deepEqual((await verify(noPins, without)).missing, [1])
  assert.ok(!isSound(await verify(() => ({ pins: 2, unreadable: 1 }))))
  await truncate(objectOf('cairn.db'), 4096)
  const found = await verify()
  assert.deepEqual(
    found.damaged.map(({ path }) => path),
    ['cairn.db'],
  )
})
