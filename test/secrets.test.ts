// Keys and secrets at the running server: after the one line that shows them they are nowhere, whatever is asked.
// Keeps promise 8 of docs/promises.md.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { rpc, startCairn } from './started-server.ts'

test('no key and no secret, right or wrong, is logged or kept in clear', async () => {
  const cairn = await startCairn({ env: { CAIRN_LOG_LEVEL: 'debug' } })
  let shown = ''
  cairn.child.stdout?.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  cairn.child.stderr?.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  const { url, apiKey, apiKeySecret } = cairn
  const guessed = 'guessedkeyguessedkeyguessedkey00'
  const wrong = 'wrongsecretwrongsecretwrongsecret'
  const credentials = [apiKeySecret, wrong].map((secret) => btoa(`${apiKey}:${secret}`))
  try {
    await rpc(url, apiKey, 'eth_blockNumber')
    await rpc(url, apiKey, 'eth_call', [{ data: '0xfe' }, 'latest'])
    await rpc(url, guessed, 'eth_blockNumber')
    await post(`${url}/dev/v3/${apiKey}?key=${apiKey}`, {
      authorization: `Basic ${credentials[0]}`,
    })
    await post(`${url}/nowhere/v3/${apiKey}`, {})
    await post(`${url}/v3/${apiKey}/more`, {})
    await post(`${url}/v3/${apiKey}`, { authorization: `Basic ${credentials[1]}` })
    for (const credential of credentials) {
      const body = new FormData()
      body.append('file', new Blob(['stone']))
      const authorization = `Basic ${credential}`
      await (
        await fetch(`${url}/api/v0/add`, { method: 'POST', headers: { authorization }, body })
      ).text()
      await post(`${url}/api/v0/cat?arg=nothing`, { authorization })
    }
    const kept = await contentsOf(cairn.dataDir)
    await new Promise((resolve) => {
      cairn.child.once('close', resolve)
      cairn.child.kill('SIGTERM')
    })
    const names = {
      apiKey,
      apiKeySecret,
      guessed,
      wrong,
      right: credentials[0],
      bad: credentials[1],
    }
    for (const [name, value = ''] of Object.entries(names)) {
      assert.ok(!shown.includes(value), `${name} is logged`)
      assert.ok(!kept.includes(value), `${name} is in the data folder`)
    }
    assert.match(shown, /\{"time":/, 'something is logged')
  } finally {
    await cairn.stop()
  }
})

async function post(url: string, headers: Record<string, string>): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  await (await fetch(url, init)).text()
}

async function contentsOf(folder: string): Promise<Buffer> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const read = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name)))
  return Buffer.concat(await Promise.all(read))
}
