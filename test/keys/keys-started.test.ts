// Keys on a started server, administered by the dashboard and by a remote command line: one session, one token.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { runProgram } from '../../src/cli/program.ts'
import { type AdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { createJwtSigner } from '../fakes/people/jwt-signer.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
let page: AdminClient
let token = ''
let account = ''

before(async () => {
  cairn = await startCairn()
  page = await takeFirstRun(cairn)
  const order = { name: 'elsewhere', role: 'operator', expires: null }
  token = String((await page.ask('POST', '/me/tokens', order)).body['text'])
  const { accounts } = (await page.ask('GET', '/accounts')).body as { accounts: { id: string }[] }
  account = accounts[0]?.id ?? ''
})
after(() => cairn.stop())

type Key = { readonly id: string; readonly settings: Record<string, unknown> }
type Made = { readonly key: Key; readonly apiKey: string; readonly apiKeySecret: string }
type Verdict = {
  readonly passes: boolean
  readonly units: number
  readonly refusal: { readonly rule: object | null; readonly waitSeconds: number | null } | null
}

async function done<Shape>(method: string, path: string, body?: object): Promise<Shape> {
  const members = body as Record<string, unknown> | undefined
  const reply = await page.ask(method, `/accounts/${account}${path}`, members)
  assert.equal(reply.status, 200, reply.message)
  return reply.body as Shape
}

async function call(key: string, headers: Record<string, string> = {}, count = 1) {
  const items = Array.from({ length: count }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_blockNumber',
  }))
  const response = await fetch(`${cairn.url}/v3/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(count === 1 ? items[0] : items),
  })
  await response.arrayBuffer()
  return response.status
}

/** `cairn … --url` without a data folder, with the token. */
async function remote(input: string, ...args: string[]) {
  let out = ''
  let err = ''
  const code = await runProgram([...args, '--url', cairn.url], {
    env: { CAIRN_TOKEN: token },
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    readInput: () => Promise.resolve(input),
  })
  return { code, out, err }
}

async function json<Shape>(...args: string[]): Promise<Shape> {
  const { code, out, err } = await remote('', ...args, '--json')
  assert.equal(code, 0, err)
  return JSON.parse(out) as Shape
}

test('a key created in the dashboard works immediately, and every change applies immediately', async () => {
  const made = await done<Made>('POST', '/keys', { name: 'web', plan: 'free' })
  assert.equal(await call(made.apiKey), 200)
  const place = `/keys/${made.key.id}`
  await done('PATCH', place, { settings: { allowOrigins: ['https://app.example'] } })
  const described = { method: 'eth_blockNumber' }
  const shut = await done<Verdict>('POST', `${place}/try`, described)
  assert.deepEqual(shut.refusal?.rule, { setting: 'allowOrigins', of: 'key' })
  const origin = { origin: 'https://app.example' }
  const open = await done<Verdict>('POST', `${place}/try`, { ...described, ...origin })
  assert.deepEqual([open.passes, open.units], [true, 80])
  assert.equal(await call(made.apiKey, origin), 200)
  const next = await done<Made>('POST', `${place}/rotate`, { overlapMs: 0 })
  assert.equal(await call(next.apiKey, origin), 200)
  await done('POST', `/keys/${next.key.id}/revoke`)
  const over = await done<Verdict>('POST', `/keys/${next.key.id}/try`, described)
  assert.deepEqual(over.refusal?.rule, { setting: 'revoked', of: 'key' })
})

test('a key over its rate limit is refused with the time to wait', async () => {
  const made = await done<Made>('POST', '/keys', { settings: { unitsPerSecond: 1 } })
  const path = `/keys/${made.key.id}/try`
  const described = { method: 'eth_blockNumber' }
  assert.equal((await done<Verdict>('POST', path, described)).passes, true)
  assert.equal(await call(made.apiKey, {}, 100), 200)
  const { refusal } = await done<Verdict>('POST', path, described)
  assert.deepEqual(refusal?.rule, { setting: 'unitsPerSecond', of: 'key' })
  assert.ok((refusal.waitSeconds ?? 0) >= 1 && (refusal.waitSeconds ?? 99) <= 81)
  assert.equal(await call(made.apiKey), 429)
})

test('methods are checked by params and contract addresses, and IPFS commands by name', async () => {
  const contract = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  const other = `0x${'11'.repeat(20)}`
  const made = await done<Made>('POST', '/keys', { settings: { allowAddresses: [contract] } })
  const tried = (body: object) => done<Verdict>('POST', `/keys/${made.key.id}/try`, body)
  const read = (at: string) => ({ method: 'eth_getStorageAt', params: [at, '0x0', 'latest'] })
  assert.equal((await tried(read(contract))).passes, true)
  const rule = { setting: 'allowAddresses', of: 'key' }
  assert.deepEqual((await tried(read(other))).refusal?.rule, rule)
  const named = { method: 'eth_call', addresses: [other] }
  assert.deepEqual((await tried(named)).refusal?.rule, rule)
  const files = { face: 'files', method: 'pin/ls' }
  assert.equal((await tried({ ...files, secret: true })).passes, true)
  assert.deepEqual((await tried(files)).refusal?.rule, { setting: 'secret', of: 'request' })
  const elsewhere = await tried({ method: 'eth_chainId', network: 'sepolia' })
  assert.deepEqual(elsewhere.refusal?.rule, { setting: 'networks', of: 'server' })
})

test('a signed-in person can act as a key that requires JWTs and has allowlists', async () => {
  const settings = { jwtRequired: true, secretRequired: true, allowOrigins: ['https://a.example'] }
  const made = await done<Made>('POST', '/keys', { settings })
  assert.equal(await call(made.apiKey), 401)
  const path = `/accounts/${account}/keys/${made.key.id}/rpc/dev`
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  const reply = await page.ask('POST', path, body)
  assert.equal(reply.body['result'], '0x539')
})

test('the command line administers a remote server like a local data folder', async () => {
  const shown = await json<{ account: { name: string } }>('accounts', 'create', 'team')
  assert.equal(shown.account.name, 'team')
  const create = ['keys', 'create', '--account', 'team', '--name', 'web', '--plan', 'developer']
  const made = await json<{ id: string; apiKey: string; account: string }>(...create)
  assert.equal(made.account, 'team')
  assert.equal(await call(made.apiKey), 200)
  const { keys } = await json<{ keys: Key[] }>('keys', 'list', '--account', 'team')
  assert.deepEqual(
    keys.map(({ id }) => id),
    [made.id],
  )
  const signer = createJwtSigner('ES256', systemClock.now)
  const added = await remote(
    signer.publicKey,
    'keys',
    'public-key',
    'add',
    made.id,
    '--id',
    'kid-1',
  )
  assert.equal(added.code, 0, added.err)
  await json('keys', 'set', made.id, '--jwt-required', '--units-per-day', '500')
  const bearer = { authorization: `Bearer ${await signer.sign('kid-1')}` }
  assert.equal(await call(made.apiKey, bearer), 200)
  assert.equal(await call(made.apiKey), 401)

  const refused = await remote('', 'keys', 'try', made.id, 'eth_chainId', '--with-secret')
  assert.equal(refused.code, 1)
  assert.match(
    refused.out,
    /^The request is refused: invalid JWT \(bad_token, HTTP 401\)\.\nSetting: jwtRequired, of the key\.\n$/,
  )
  await json('keys', 'set', made.id, '--no-jwt-required')
  const passes = await remote('', 'keys', 'try', made.id, 'eth_chainId')
  assert.deepEqual([passes.code, passes.out], [0, 'The request passes, for 5 units.\n'])

  const next = await json<{ id: string; rotatedFrom: string }>('keys', 'rotate', made.id)
  assert.equal(next.rotatedFrom, made.id)
  await json('keys', 'revoke', next.id)
  await json('accounts', 'set', 'team', '--files-stored-bytes', '5')
  const { account: team } = await json<{ account: { settings: object } }>(
    'accounts',
    'show',
    'team',
  )
  assert.partialDeepStrictEqual(team.settings, { filesStoredBytes: 5 })
  const renamed = await json<{ account: { name: string } }>(
    'accounts',
    'set',
    'team',
    '--name',
    'crew',
  )
  assert.equal(renamed.account.name, 'crew')
})

test('a refusal prints the message of the server and exits with code 1', async () => {
  const refused = await remote('', 'keys', 'list', '--account', 'unknown')
  assert.deepEqual([refused.code, refused.err], [1, 'cairn: unknown account "unknown"\n'])
  const { code, err } = await remote('', 'keys', 'show', 'nothing')
  assert.deepEqual([code, err], [1, 'cairn: no key has the id "nothing"\n'])
})
