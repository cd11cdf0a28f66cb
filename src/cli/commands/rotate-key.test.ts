// Key rotation as an operator does it, with a running server.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startCairn } from '../../../test/started-server.ts'
import { runProgram } from '../program.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-rotate-'))
after(() => rmSync(folder, { recursive: true }))

async function run(...args: string[]) {
  let out = ''
  let err = ''
  const code = await runProgram([...args, '--data-dir', join(folder, 'data')], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => '',
    env: {},
  })
  return { code, out, err }
}

type Shown = Record<string, string>
const parse = (text: string) => JSON.parse(text) as Shown

test('a running server takes the new key at once, and the old one until the overlap is over', async () => {
  const server = await startCairn()
  try {
    const { keys } = (await server.cli('keys', 'list')) as { keys: { id: string }[] }
    const id = keys[0]?.id ?? ''
    const made = (await server.cli('keys', 'rotate', id)) as Shown
    const request = async (key: string | undefined, secret: string | undefined) => {
      const authorization = `Basic ${Buffer.from(`:${secret}`).toString('base64')}`
      const response = await fetch(`${server.url}/v3/${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      })
      return response.status
    }
    assert.equal(await request(made['apiKey'], made['apiKeySecret']), 200)
    assert.equal(await request(server.apiKey, server.apiKeySecret), 200)
    const again = (await server.cli('keys', 'rotate', made['id'] ?? '', '--secret-only')) as Shown
    assert.equal(await request(made['apiKey'], again['apiKeySecret']), 200)
    assert.equal(await request(made['apiKey'], made['apiKeySecret']), 200)
    assert.equal(await request(made['apiKey'], 'wrong-secret'), 401)
  } finally {
    await server.stop()
  }
})

test('both keys are listed, with what the old one became', async () => {
  const first = parse((await run('keys', 'create', '--name', 'web', '--json')).out)
  const next = parse((await run('keys', 'rotate', first['id'] ?? '', '--json')).out)
  assert.equal(next['rotatedFrom'], first['id'])
  assert.match(next['oldEnds'] ?? '', /^\d{4}-\d\d-\d\dT/)
  const { out } = await run('keys', 'list')
  assert.match(out, new RegExp(`${first['id']} .*ends \\d{4}-`))
  assert.match(out, new RegExp(`${next['id']} .*active`))
  const shown = await run('keys', 'show', next['id'] ?? '')
  assert.match(shown.out, new RegExp(`replaces +${first['id']}`))
  const secret = await run('keys', 'rotate', next['id'] ?? '', '--secret-only', '--overlap', '2h')
  assert.match(secret.out, /^API secret {2}cairns_live_\w{36}$/m)
  assert.match(secret.out, /^The old secret ends \d{4}-/m)
  assert.match((await run('keys', 'show', next['id'] ?? '')).out, /earlier secret +ends \d{4}-/)
})

test('an overlap of 0 ends the old key; a wrong overlap or id changes nothing', async () => {
  const { id = '' } = parse((await run('keys', 'create', '--json')).out)
  assert.equal((await run('keys', 'rotate', id, '--overlap', 'soon')).code, 2)
  assert.equal((await run('keys', 'rotate', 'absent')).code, 1)
  const { out } = await run('keys', 'rotate', id, '--overlap', '0')
  assert.match(out, /has ended\. Save the key and the secret now; they are not shown again\./)
  assert.match((await run('keys', 'show', id)).out, /revoked/)
  const again = await run('keys', 'rotate', id)
  assert.equal(again.code, 1)
  assert.match(again.err, /^cairn: the key with the id .* is revoked: make another/)
})
