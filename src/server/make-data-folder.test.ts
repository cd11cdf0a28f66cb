import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeDataFolder } from './make-data-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-test-'))
after(() => rmSync(root, { recursive: true, force: true }))

test('a folder and its missing parents are created for the owner alone, an existing one is unchanged', () => {
  const path = join(root, 'above', 'data')
  makeDataFolder(path)
  makeDataFolder(path)
  assert.equal(statSync(path).mode & 0o777, 0o700)
  assert.equal(statSync(join(root, 'above')).mode & 0o777, 0o700)
})

test('a file in place of the folder or a parent, or a parent like /proc, is refused immediately by name', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  assert.throws(() => makeDataFolder(file), {
    message: `the data folder ${file} is a file; choose another folder with --data-dir`,
  })
  assert.throws(() => makeDataFolder(join(file, 'data')), {
    message: `cannot make the data folder ${file}/data: a file exists where a folder is expected; choose another folder with --data-dir`,
  })
  if (process.platform === 'linux') {
    assert.throws(
      () => makeDataFolder('/proc/cairn-data'),
      /cannot make the data folder \/proc\/cairn-data: /,
    )
  }
})
