import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createRotatedFile } from './rotated-file.ts'

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a full file is moved, and the oldest is deleted', async (t) => {
  const folder = await folderOf(t)
  const file = join(folder, 'access.log')
  const rotated = createRotatedFile({ file, bytesMax: 10, filesMax: 3 })
  for (const text of ['1111\n', '2222\n', '3333\n', '4444\n', '5555\n', '6666\n', '7777\n']) {
    await rotated.append(text)
  }
  await rotated.close()
  assert.deepEqual((await readdir(folder)).toSorted(), [
    'access.log',
    'access.log.1',
    'access.log.2',
  ])
  assert.equal(await readFile(file, 'utf8'), '7777\n')
  assert.equal(await readFile(`${file}.1`, 'utf8'), '5555\n6666\n')
  assert.equal(await readFile(`${file}.2`, 'utf8'), '3333\n4444\n')
})

test('lines that waited together are divided among files; only a longer line exceeds the limit', async (t) => {
  const folder = await folderOf(t)
  const file = join(folder, 'access.log')
  const rotated = createRotatedFile({ file, bytesMax: 10, filesMax: 9 })
  await rotated.append('11\n')
  await rotated.append('2222\n33\nä\nthis line is longer\n5555\n6666\n')
  await rotated.append('7\n')
  await rotated.close()
  const texts = await Promise.all(
    [4, 3, 2, 1].map((number) => readFile(`${file}.${number}`, 'utf8')),
  )
  texts.push(await readFile(file, 'utf8'))
  assert.deepEqual(texts, ['11\n2222\n', '33\nä\n', 'this line is longer\n', '5555\n6666\n', '7\n'])
})

test('a file is continued after a restart, and one file alone starts over', async (t) => {
  const file = join(await folderOf(t), 'access.log')
  for (const text of ['1111\n', '2222\n', '3333\n']) {
    const rotated = createRotatedFile({ file, bytesMax: 10, filesMax: 1 })
    await rotated.append(text)
    await rotated.close()
  }
  assert.equal(await readFile(file, 'utf8'), '3333\n')
})

test('after another program has moved the file, reopen continues in a new one', async (t) => {
  const file = join(await folderOf(t), 'access.log')
  const rotated = createRotatedFile({ file, bytesMax: 0, filesMax: 5 })
  await rotated.append('1\n')
  await rename(file, `${file}.old`)
  await rotated.append('2\n')
  rotated.reopen()
  await rotated.append('3\n')
  await rotated.close()
  assert.equal(await readFile(`${file}.old`, 'utf8'), '1\n2\n')
  assert.equal(await readFile(file, 'utf8'), '3\n')
})

test('a file that cannot be opened rejects, and is opened as soon as it can be', async (t) => {
  const folder = await folderOf(t)
  const file = join(folder, 'later', 'access.log')
  const rotated = createRotatedFile({ file, bytesMax: 0, filesMax: 5 })
  await assert.rejects(rotated.append('1\n'), { code: 'ENOENT' })
  const { mkdir } = await import('node:fs/promises')
  await mkdir(join(folder, 'later'))
  await rotated.append('2\n')
  await rotated.close()
  assert.equal(await readFile(file, 'utf8'), '2\n')
})
