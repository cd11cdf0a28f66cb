import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockBackups, lockFolder } from './lock.ts'

test('a folder serves one server at a time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
  const release = lockFolder(folder)
  assert.throws(
    () => lockFolder(folder),
    (error) => error instanceof Error && error.message.includes(folder),
  )
  release()
  lockFolder(folder)()
  rmSync(folder, { recursive: true })
})

test('one backup of a folder runs at a time, next to its server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
  const stopServer = lockFolder(folder)
  const release = lockBackups(folder)
  assert.throws(() => lockBackups(folder), /another backup of .* is running/)
  release()
  lockBackups(folder)()
  stopServer()
  rmSync(folder, { recursive: true })
})

test('the lock of a killed process is free', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
  const program = `import { lockFolder } from ${JSON.stringify(new URL('./lock.ts', import.meta.url).href)}
    lockFolder(${JSON.stringify(folder)}); process.stdout.write('held'); process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  await once(child.stdout, 'data')
  assert.throws(() => lockFolder(folder), /another Cairn server is running/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  lockFolder(folder)()
  rmSync(folder, { recursive: true })
})

test('a folder that is not there is no lock held by another', () => {
  assert.throws(
    () => lockFolder('/nonexistent-folder'),
    (error) => error instanceof Error && !error.message.includes('another Cairn'),
  )
})
