// `cairn start` as a user runs it: start output, health, both APIs on one port, stop, restart.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { until } from '../fakes/until.ts'
import { rpc, runCli, type Started, startCairn, temporaryFolder } from '../started-server.ts'

/** A first start, for tests that do not stop it. */
let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(async () => assert.equal(await cairn.stop(), 0))

test('a first start is live and ready, shows key and secret once, and serves a plain page without the key', async () => {
  assert.match(cairn.apiKey, /^cairn_live_[0-9A-Za-z]{36}$/)
  assert.match(cairn.apiKeySecret, /^cairns_live_[0-9A-Za-z]{36}$/)
  assert.equal((await fetch(`${cairn.url}/livez`)).status, 200)
  assert.equal((await fetch(`${cairn.url}/readyz`)).status, 200)
  const page = await (await fetch(cairn.url)).text()
  assert.match(page, /\/v3\//)
  assert.match(page, /\/api\/v0\//)
  assert.ok(!page.includes(cairn.apiKey))
})

test('a second start keeps accounts, keys, files and chain, and does not show a secret again', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const one = await startCairn({ dataDir })
  const form = new FormData()
  form.append('file', new Blob(['kept\n']))
  const headers = { authorization: `Basic ${btoa(`${one.apiKey}:${one.apiKeySecret}`)}` }
  const added = await fetch(`${one.url}/api/v0/add`, { method: 'POST', headers, body: form })
  const { Hash } = (await added.json()) as { Hash: string }
  assert.equal(await one.stop(), 0)
  const two = await startCairn({ dataDir })
  try {
    assert.equal(two.apiKey, '')
    assert.equal((await rpc(two.url, one.apiKey, 'eth_chainId')).result, '0x539')
    const reply = await fetch(`${two.url}/api/v0/cat?arg=${Hash}`, { method: 'POST', headers })
    assert.equal(await reply.text(), 'kept\n')
  } finally {
    await two.stop()
  }
})

test('a second server on one data folder is refused in one sentence that names the folder', async () => {
  await assert.rejects(startCairn({ dataDir: cairn.dataDir }), (error: Error) =>
    error.message.includes(cairn.dataDir),
  )
})

test(
  'changes of keys, accounts, cards and usage at the command line apply immediately to the running server',
  {
    timeout: 300_000,
  },
  async () => {
    await cairn.cli('accounts', 'create', 'team', '--no-card')
    const made = (await cairn.cli('keys', 'create', '--account', 'team')) as {
      apiKey: string
      apiKeySecret: string
      id: string
    }
    assert.equal((await rpc(cairn.url, made.apiKey, 'eth_chainId')).result, '0x539')
    const version = () =>
      fetch(`${cairn.url}/api/v0/version`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${made.apiKey}:${made.apiKeySecret}`)}` },
      })
    assert.equal((await version()).status, 402)
    await cairn.cli('card', 'set', 'team')
    assert.equal((await version()).status, 200)
    await cairn.cli('keys', 'revoke', made.id)
    // Another process revoked it: the server notices at its check of the tables each second.
    await until(async () => {
      assert.notEqual((await rpc(cairn.url, made.apiKey, 'eth_chainId')).error, undefined)
    })
    await cairn.cli('usage')
  },
)

test('SIGINT stops the server as SIGTERM does', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const own = await startCairn({ dataDir })
  const ended = new Promise((resolve) => own.child.once('exit', resolve))
  own.child.kill('SIGINT')
  assert.equal(await ended, 0)
})

test('the command line works while no server runs', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const made = await runCli(['keys', 'create', '--data-dir', dataDir, '--json'])
  const own = await startCairn({ dataDir })
  try {
    assert.equal((await rpc(own.url, String(made['apiKey']), 'eth_chainId')).result, '0x539')
  } finally {
    await own.stop()
  }
})

test('a start that finds its port in use shows no key, and the next start shows the first key', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.after(() => other.close())
  const { port } = other.address() as AddressInfo
  await assert.rejects(startCairn({ dataDir, args: ['--port', `${port}`] }), (error: Error) => {
    // A single message, and no log line.
    assert.match(error.message, /cannot listen on 127\.0\.0\.1:\d+: another program uses this port/)
    assert.doesNotMatch(error.message, /"level"/)
    return true
  })
  const own = await startCairn({ dataDir })
  try {
    assert.equal((await own.rpc('eth_chainId')).result, '0x539')
  } finally {
    await own.stop()
  }
})

test('a start without disk space for its database is refused with the name of its folder', async (t) => {
  const limiter = 'prlimit'
  const { error } = spawnSync(limiter, ['--version'])
  if (error !== undefined) return t.skip(`files cannot be limited here: ${error.message}`)
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await assert.rejects(startCairn({ dataDir, behind: [limiter, '--fsize=100000'] }), {
    message: new RegExp(`no space left in ${dataDir}: free disk space`),
  })
})
