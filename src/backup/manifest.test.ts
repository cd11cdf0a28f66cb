import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DamagedManifest,
  createBackupId,
  encodeManifest,
  isBackupId,
  newManifest,
  parseManifest,
} from './manifest.ts'

const id = '20260131T235959000Z-1a2b3c'
const file = { path: 'cairn.db', bytes: 1, sha256: 'ab'.repeat(32), modified: null }
const manifest = newManifest({
  id,
  server: 'cd',
  cairn: '0.1.0',
  began: 1,
  ended: 2,
  missing: [],
  files: [file, { ...file, path: 'store/ext/7.ext', modified: '123' }],
})

test('IDs of backups sort by time', () => {
  const ids = [Date.UTC(2026, 0, 31, 23, 59, 59, 998), Date.UTC(2026, 0, 31, 23, 59, 59, 999)].map(
    createBackupId,
  )
  assert.match(ids[0] ?? '', /^20260131T235959998Z-[0-9a-f]{6}$/)
  assert.ok(ids.every(isBackupId))
  assert.deepEqual(ids.toSorted(), ids)
})

test('a manifest is read as it was written', () => {
  assert.deepEqual(parseManifest(encodeManifest(manifest), id), manifest)
})

test('a manifest of another form is refused, and one that names a file outside of the data folder', () => {
  const refused = (change: object): void =>
    assert.throws(
      () => parseManifest(JSON.stringify({ ...manifest, ...change }), id),
      (error) => error instanceof DamagedManifest && error.message.includes(id),
      JSON.stringify(change),
    )
  refused({ version: 2 })
  refused({ id: '20260131T235959000Z-000000' })
  refused({ began: -1 })
  refused({ files: [] })
  refused({ files: [file, file] })
  refused({ files: 'none' })
  refused({ missing: null })
  for (const path of [
    '../evil',
    '/etc/passwd',
    'store/ext/../../1.ext',
    'store/ext/0.ext',
    'store/ext/1.log',
    'server.lock',
    'store/ext/1.ext\n',
  ]) {
    refused({ files: [file, { ...file, path }] })
  }
  refused({ files: [{ ...file, sha256: 'ab' }] })
  refused({ files: [{ ...file, bytes: 1.5 }] })
  refused({ files: [{ ...file, modified: 1 }] })
  for (const text of ['', 'null', '[]', encodeManifest(manifest).slice(0, -10)]) {
    assert.throws(() => parseManifest(text, id), DamagedManifest)
  }
})
