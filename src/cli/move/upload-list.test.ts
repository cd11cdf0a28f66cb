import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { listUpload } from './upload-list.ts'

const usual = { hidden: false, dereference: false, inputName: '' }

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'cairn-list-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(join(path, 'd/inner'), { recursive: true })
  writeFileSync(join(path, 'd/b.txt'), 'two')
  writeFileSync(join(path, 'd/inner/a.txt'), 'one')
  writeFileSync(join(path, 'd/.hidden'), 'three')
  symlinkSync('../outside', join(path, 'd/link'))
  return path
}

async function shown(paths: readonly string[], terms: Partial<typeof usual> = {}) {
  const items = await listUpload(paths, { ...usual, ...terms })
  return items.map((item) => `${item.kind} ${item.name}`)
}

test('a folder comes with all below it, folders before what is in them, sorted; links are links', async (t) => {
  const path = folder(t)
  assert.deepEqual(await shown([join(path, 'd')]), [
    'directory d',
    'file d/b.txt',
    'directory d/inner',
    'file d/inner/a.txt',
    'symlink d/link',
  ])
})

test('hidden files come when they are asked for, or named', async (t) => {
  const path = folder(t)
  const all = await shown([join(path, 'd')], { hidden: true })
  assert.ok(all.includes('file d/.hidden'))
  assert.deepEqual(await shown([join(path, 'd/.hidden')]), ['file .hidden'])
})

test('a path that is a link stands for itself, or for what it leads to', async (t) => {
  const path = folder(t)
  symlinkSync('d/b.txt', join(path, 'b'))
  assert.deepEqual(await shown([join(path, 'b')]), ['symlink b'])
  assert.deepEqual(await shown([join(path, 'b')], { dereference: true }), ['file b'])
})

test('standard input is one of the paths, with a name or without', async () => {
  assert.deepEqual(await shown(['-'], { inputName: 'x' }), ['input x'])
  assert.deepEqual(await shown(['-']), ['input '])
})

test('two paths of one name, and what is no file, are refused', async (t) => {
  const path = folder(t)
  await assert.rejects(shown([join(path, 'd'), `${path}/d/.`]), /two paths have the same name "d"/)
  execFileSync('mkfifo', [join(path, 'pipe')])
  await assert.rejects(shown([join(path, 'pipe')]), /is not a file, folder or link/)
  await assert.rejects(shown([join(path, 'absent')]), /ENOENT/)
})

test('a name that is no text is refused', async (t) => {
  const path = folder(t)
  writeFileSync(Buffer.concat([Buffer.from(`${path}/d/`), Buffer.from([0xff])]), '')
  await assert.rejects(shown([join(path, 'd')]), /is not UTF-8/)
})
