// Folders as targets; test/backup/backup-s3.test.ts runs the same suite on a bucket.
import assert from 'node:assert/strict'
import { mkdtemp, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testBackupTarget } from '../../test/suites/backup-target.suite.ts'
import { systemClock } from '../base/clock.ts'
import { openFolderTarget } from './folder-target.ts'
import { type S3Access, openTarget } from './open-target.ts'

testBackupTarget('a folder', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'cairn-target-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return openFolderTarget(join(root, 'deep', 'target'))
})

const never = new AbortController().signal
const noKeys: S3Access = {
  endpoint: null,
  region: 'us-east-1',
  accessKeyId: null,
  secretAccessKey: null,
}

test('a final file on the same file system is a hard link, any other file a copy', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'cairn-target-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const source = join(root, 'source')
  await writeFile(source, 'stone')
  const digest = 'a'.repeat(64)
  const target = openFolderTarget(join(root, 'target'))
  await target.store(digest, { path: source, bytes: 5, final: true }, never)
  const linked = await stat(join(root, 'target', 'objects', digest))
  assert.equal(linked.ino, (await stat(source)).ino)
  await assert.rejects(
    target.store('b'.repeat(64), { path: source, bytes: 5, final: false }, never),
    /was read twice with different bytes/,
  )
  assert.deepEqual([...(await target.list('objects', never)).keys()], [digest])
})

test('a folder that cannot be written causes an error that names it', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'cairn-target-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await writeFile(join(root, 'file'), '')
  const source = join(root, 'source')
  await writeFile(source, 'x')
  const target = openFolderTarget(join(root, 'file', 'target'))
  await assert.rejects(
    target.store('a'.repeat(64), { path: source, bytes: 1, final: false }, never),
    (error: NodeJS.ErrnoException) => error.path?.startsWith(join(root, 'file')) === true,
  )
})

test('a target is a folder or a bucket with keys; other texts are refused with the reason', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'cairn-target-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'real'))
  await symlink(join(root, 'real'), join(root, 'link'))
  assert.equal(openTarget(join(root, 'link'), noKeys, systemClock).label, join(root, 'link'))
  const keys = { ...noKeys, accessKeyId: 'a', secretAccessKey: 'b' }
  for (const text of ['s3://bucket', 's3://bucket/', 's3://my.bucket-1/some/prefix_1']) {
    const target = openTarget(text, keys, systemClock)
    assert.equal(target.label, text)
    await target.close()
  }
  for (const text of [
    's3:',
    's3://',
    's3://UPPER',
    's3://b',
    's3://bucket/a b',
    's3://bucket//a',
    'https://example.com/x',
    'ftp://x',
  ]) {
    assert.throws(() => openTarget(text, keys, systemClock), /expected a folder or s3:/, text)
  }
  assert.throws(() => openTarget('s3://bucket', noKeys, systemClock), /set backup\.s3\.accessKeyId/)
  const half = { ...noKeys, accessKeyId: 'a' }
  assert.throws(
    () => openTarget('s3://bucket', half, systemClock),
    /set backup\.s3\.secretAccessKey/,
  )
})
