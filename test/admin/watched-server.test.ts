// `npm run dev`: restarts the server after a change of its source, with the same data folder and arguments.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, utimesSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../started-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

test('npm run dev restarts the server after a change of the source', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const [program, ...args] = String(scripts.dev)
    .replace(/^exec /, '')
    .split(' ')
  assert.equal(program, 'node')
  const child = spawn(process.execPath, [...args, '--port', '0', '--data-dir', dataDir, '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const urls: string[] = []
  // The watcher's lines appear between those of the server.
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue
    const { url } = JSON.parse(line)
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    urls.push(url)
    if (urls.length === 2) break
    utimesSync(`${root}src/main.ts`, new Date(), new Date())
  }
  assert.equal(urls.length, 2, 'the second start printed its address')
  await assert.rejects(fetch(`${urls[0]}/readyz`), 'the first server has stopped')
})
