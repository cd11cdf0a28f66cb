// The package of `npm pack`, unpacked outside the checkout: plain JavaScript that serves, including its threads.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { rpc, temporaryFolder } from './started-server.ts'

const root = new URL('..', import.meta.url).pathname
const run = promisify(execFile)

test('the packed package serves, answers a call through its EVM thread, and stops', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const [archive = ''] = await readdir(folder)
  await run('tar', ['-xzf', join(folder, archive), '-C', folder])
  const files = await readdir(join(folder, 'package'), { recursive: true })
  assert.deepEqual(
    files.filter((file) => file.endsWith('.ts') || file.includes('.test.')),
    [],
  )
  // Dependencies as in an installation: above the package.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))

  const bin = join(folder, 'package/bin/cairn.js')
  // Compiled code is cached by path, and this path is never used again.
  const env = { ...process.env, XDG_CACHE_HOME: folder }
  assert.match((await run(process.execPath, [bin, '--version'], { env })).stdout, /^\d+\.\d+\.\d+/)
  const verifier = join(folder, 'package/dist/cairn-verify.mjs')
  assert.match(
    (await run(process.execPath, [verifier, '--help'])).stdout,
    /^node cairn-verify.mjs /,
  )
  const dataDir = join(folder, 'data')
  const child = spawn(
    process.execPath,
    [bin, 'start', '--port', '0', '--data-dir', dataDir, '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'], env },
  )
  const ended = once(child, 'exit')
  // If an assertion below fails, a remaining process would block the test run.
  t.after(() => child.kill('SIGKILL'))
  const [greeting] = (await once(child.stdout, 'data')) as [Buffer]
  const { url, apiKey } = JSON.parse(greeting.toString()) as { url: string; apiKey: string }
  const to = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  const { error } = await rpc(url, apiKey, 'eth_call', [{ to }, 'latest'])
  assert.equal(error, undefined)
  const page = await fetch(`${url}/dashboard`)
  assert.match(await page.text(), /<div id="app">/)
  const docs = await fetch(`${url}/docs/get-started`)
  assert.match(await docs.text(), /<h1>Get started<\/h1>/)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
