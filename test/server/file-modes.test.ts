// Modes of the files in the data folder.
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesClient } from '../fakes/files/files-client.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

function modesOf(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true }).map(String)
  return ['.', ...names].map((name) => {
    const { mode } = statSync(join(folder, name))
    return `${name} ${(mode & 0o777).toString(8)}`
  })
}

const open = (modes: readonly string[]) => modes.filter((line) => !/ [67]00$/.test(line))

test('only the owner may read files of the data folder, both new files and existing ones at start', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startCairn({ dataDir })
  t.after(() => first.stop())
  await filesClient(first).add(Buffer.alloc(1000, 'closed'))
  assert.deepEqual(open(modesOf(dataDir)), [])
  await first.stop()
  for (const name of readdirSync(dataDir, { recursive: true }).map(String)) {
    const path = join(dataDir, name)
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
  }
  chmodSync(dataDir, 0o755)
  const second = await startCairn({ dataDir })
  t.after(() => second.stop())
  assert.deepEqual(open(modesOf(dataDir)), [])
})
