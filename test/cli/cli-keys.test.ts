// `cairn keys` and `cairn accounts`: plans, expiry, names and public keys.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { runProgram } from '../../src/cli/program.ts'
import { createJwtSigner } from '../fakes/people/jwt-signer.ts'
import { temporaryFolder } from '../started-server.ts'

let folder = ''
before(async () => {
  folder = await temporaryFolder()
})
after(() => rm(folder, { recursive: true, force: true }))

async function run(input: string, ...args: string[]) {
  let out = ''
  let err = ''
  const code = await runProgram([...args, '--data-dir', folder], {
    env: {},
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    readInput: () => Promise.resolve(input),
  })
  return { code, out, err }
}

async function json<Shape>(...args: string[]): Promise<Shape> {
  const { code, out, err } = await run('', ...args, '--json')
  assert.equal(code, 0, err)
  return JSON.parse(out) as Shape
}

type Key = {
  name: string
  expires: string | null
  settings: { unitsPerDay: number | null; unitsPerSecond: number | null }
}
const keyOf = async (id: string) => (await json<{ key: Key }>('keys', 'show', id)).key

test('a key is created with a plan and an expiry, and both can be changed and cleared', async () => {
  const before = systemClock.now()
  const made = ['keys', 'create', '--plan', 'free', '--expires', '90d', '--units-per-second', '7']
  const { id } = await json<{ id: string }>(...made)
  const first = await keyOf(id)
  assert.partialDeepStrictEqual(first.settings, { unitsPerDay: 3_000_000, unitsPerSecond: 7 })
  const days = (Date.parse(String(first.expires)) - before) / 86_400_000
  assert.ok(days >= 90 && days < 90.01, String(days))
  await json('keys', 'set', id, '--expires', '2099-01-31', '--name', 'page')
  assert.partialDeepStrictEqual(await keyOf(id), {
    expires: '2099-01-31T00:00:00.000Z',
    name: 'page',
    settings: first.settings,
  })
  await json('keys', 'set', id, '--expires', 'never', '--plan', 'none')
  const back = { expires: null, name: 'page', settings: { unitsPerDay: null } }
  assert.partialDeepStrictEqual(await keyOf(id), back)
  assert.equal((await run('', 'keys', 'set', id, '--plan', 'gold')).code, 2)
  assert.equal((await run('', 'keys', 'set', id, '--expires', 'tomorrow')).code, 2)
  assert.equal((await run('', 'keys', 'set', id, '--expires', '2099-13-31')).code, 2)
})

test('a public key is read from standard input, listed with its fingerprint, and removed by its ID', async () => {
  const { id } = await json<{ id: string }>('keys', 'create')
  const { publicKey } = createJwtSigner('ES256', systemClock.now)
  const added = await run(publicKey, 'keys', 'public-key', 'add', id, '--name', 'signer', '--json')
  assert.equal(added.code, 0, added.err)
  const { publicKey: shown } = JSON.parse(added.out) as {
    publicKey: { id: string; fingerprint: string }
  }
  assert.partialDeepStrictEqual(shown, { name: 'signer', algorithm: 'ES256' })
  const { out } = await run('', 'keys', 'public-key', 'list', id)
  assert.match(out, new RegExp(`^id \\(kid\\) .*\\n${shown.id} +signer +ES256`))
  assert.ok(out.includes(shown.fingerprint))
  const whole = await run('', 'keys', 'show', id)
  assert.match(whole.out, /^jwtAudiences +infura\.io and the host names of the server$/m)
  assert.ok(whole.out.includes(shown.fingerprint))
  const wrong = await run('nonsense', 'keys', 'public-key', 'add', id)
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /^cairn: the key must be PEM/)
  await json('keys', 'public-key', 'remove', id, shown.id)
  assert.match((await run('', 'keys', 'public-key', 'list', id)).out, /No public keys/)
  assert.equal((await run('', 'keys', 'public-key', 'remove', id, shown.id)).code, 1)
})

test('a key accepts an unconfigured network, with a warning about a possible misspelling', async () => {
  const { id } = await json<{ id: string }>('keys', 'create')
  const strange = await run('', 'keys', 'set', id, '--networks', 'dev,mars')
  assert.equal(strange.code, 0)
  assert.match(strange.out, /^networks +dev, mars$/m)
  assert.equal(strange.err, 'Unknown network mars: this server has dev.\n')
  assert.equal((await run('', 'keys', 'set', id, '--networks', 'dev')).err, '')
})

test('an API key in place of a key ID is refused with its ID, and the message does not repeat the key', async () => {
  const made = await json<{ id: string; apiKey: string }>('keys', 'create')
  const { code, err } = await run('', 'keys', 'show', made.apiKey)
  assert.equal(code, 1)
  assert.match(err, new RegExp(`that is the key itself, its id is ${made.id}`))
  assert.ok(!err.includes(made.apiKey))
})

test('a dry run needs a running server, and a data folder alone is refused', async () => {
  const { id } = await json<{ id: string }>('keys', 'create')
  const { code, err } = await run('', 'keys', 'try', id, 'eth_chainId')
  assert.equal(code, 1)
  assert.match(err, /this needs a running server/)
  const wrong = await run('', 'keys', 'try', id, 'eth_call', '--params', '{}')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /expected a JSON array/)
})
