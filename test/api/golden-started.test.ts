// The golden cases of the JSON-RPC API over the wire, each by its name. Envelopes (G14 to G16) are in rpc-envelope.ts; transaction
// objects (G4 to G6, G12, G13) and GM1 are in golden.test.ts and next to the codec.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { startRecordedChain } from '../fakes/upstream/recorded-chain.ts'
import { type Started, startCairn } from '../started-server.ts'

const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
const mappingSlot = '0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9'
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

type Reply = { readonly status: number; readonly headers: Headers; readonly body: unknown }

async function post(
  path: string,
  headers: Record<string, string> = {},
  body = call,
): Promise<Reply> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  const response = await fetch(cairn.url + path, init)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function createKey(...options: string[]): Promise<string> {
  const { apiKey } = (await cairn.cli('keys', 'create', ...options)) as { apiKey: string }
  return apiKey
}

function error(code: number, message: string, id: unknown = 1) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

test('G1: the documented slot has the value 1234 at latest, and its block number is above this head', async () => {
  const { result } = await cairn.rpc('eth_getStorageAt', [sample, '0x0', 'latest'])
  assert.equal(result, word(1234))
  const literal = await cairn.rpc('eth_getStorageAt', [sample, '0x0', '0x65a8db'])
  assert.deepEqual(literal.error, { code: -32000, message: 'header not found' })
})

test('G2, G3: the documented mapping entry is found at keccak256 of key and slot', async () => {
  const owner = '000000000000000000000000391694e7e0b0cce554cb130d723a9d27458f9298'
  assert.equal(toHex(keccak256(fromHex(owner + word(1).slice(2)))), mappingSlot)
  const { result } = await cairn.rpc('eth_getStorageAt', [sample, mappingSlot, 'latest'])
  assert.equal(result, word(0x162e))
})

test('G15h: missing, superfluous and non-array params are refused', async () => {
  const cases: readonly (readonly [string, string])[] = [
    ['[]', 'missing value for required argument 0'],
    [`["${sample}"]`, 'missing value for required argument 1'],
    [`["${sample}","0x0","latest","0x1"]`, 'too many arguments, want at most 3'],
    ['{}', 'non-array args'],
  ]
  for (const [params, message] of cases) {
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":${params}}`
    const reply = await post(`/v3/${cairn.apiKey}`, {}, body)
    assert.deepEqual([reply.status, reply.body], [200, error(-32602, message)])
  }
})

const batch = `[${call},{"jsonrpc":"2.0","id":"two","method":"eth_chainId"}]`

/** The refusal of a single call; checks G17e too: a batch of two gets the same status, with their IDs. */
async function refusal(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const single = await post(path, headers)
  const two = await post(path, headers, batch)
  assert.equal(two.status, single.status)
  const one = single.body as Record<string, unknown>
  const strip = (reply: unknown) => {
    const { error: fault, id } = reply as { error: { code: number; message: string }; id: unknown }
    return { id, code: fault.code, message: fault.message }
  }
  assert.deepEqual((two.body as unknown[]).map(strip), [strip(one), { ...strip(one), id: 'two' }])
  return single
}

/** Code, message and `data` of a reply, with its status. */
function refusalOf({ status, body }: Reply): readonly unknown[] {
  const fault = (body as { error: { code: number; message: string; data?: unknown } }).error
  return [status, fault.code, fault.message]
}

test('G17a, G17e: an unknown, missing or wrong credential is 401 with a challenge', async () => {
  const wrong = { authorization: `Basic ${btoa(':wrong')}` }
  const cases: readonly (readonly [Reply, string])[] = [
    [await refusal('/v3/nosuchkey1234'), 'invalid project id'],
    [await refusal('/v3/'), 'project id required in the url'],
    [await refusal(`/v3/${cairn.apiKey}`, wrong), 'invalid project id or project secret'],
  ]
  for (const [reply, message] of cases) {
    assert.deepEqual(refusalOf(reply), [401, -32600, message])
    const challenge = reply.headers.get('www-authenticate')
    assert.equal(challenge, 'Basic realm="Auth failure, invalid project id"')
  }
})

test('G17b, G17e: a missing required secret is 403 with the reason', async () => {
  const key = await createKey('--secret-required')
  const reply = await refusal(`/v3/${key}`)
  assert.equal(reply.status, 403)
  assert.deepEqual(reply.body, {
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32002,
      message: 'rejected due to project ID settings',
      data: { code: 'refused_by_setting', reason: 'secret_required' },
    },
  })
})

/** The G17b reply to a single call, and the same in a batch. */
const settingRefusal = (reason: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32002,
    message: 'rejected due to project ID settings',
    data: { code: 'refused_by_setting', reason },
  },
})

test('G17b, G17e: an Origin, a method or an address outside the allowlist is 403 and named', async () => {
  const listed = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  const other = '0x00000000000000000000000000000000000000aa'
  const balance = (id: unknown, address: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getBalance', params: [address, 'latest'] })

  const byOrigin = await createKey('--allow-origin', 'https://a.example')
  for (const headers of [{}, { origin: 'https://b.example' }, { origin: 'null' }]) {
    const reply = await refusal(`/v3/${byOrigin}`, headers)
    assert.deepEqual([reply.status, reply.body], [403, settingRefusal('origin')])
    assert.equal(reply.headers.get('x-cairn-units'), null)
  }
  assert.equal((await post(`/v3/${byOrigin}`, { origin: 'https://a.example' })).status, 200)

  const byMethod = await createKey('--allow-method', 'eth_getBalance')
  const method = await refusal(`/v3/${byMethod}`)
  assert.deepEqual([method.status, method.body], [403, settingRefusal('method')])

  const byAddress = await createKey('--allow-address', listed.toUpperCase().replace('0X', '0x'))
  const path = `/v3/${byAddress}`
  const address = await post(path, {}, balance(1, other))
  assert.deepEqual([address.status, address.body], [403, settingRefusal('address')])
  assert.equal(address.headers.get('x-cairn-units'), '0')
  const none = await post(path, {}, `[${balance(1, other)},${balance('two', other)}]`)
  const both = [settingRefusal('address'), settingRefusal('address', 'two')]
  assert.deepEqual([none.status, none.body], [403, both])
  // A permitted call next to a refused one: each is checked separately.
  const mixed = await post(path, {}, `[${balance(1, other)},${balance('two', listed)},${call}]`)
  assert.equal(mixed.status, 200)
  const [first, ...rest] = mixed.body as { result?: string }[]
  assert.deepEqual(first, settingRefusal('address'))
  assert.deepEqual(
    rest.map(({ result }) => result),
    ['0x0', '0x539'],
  )
})

test('an address allowlist applies to every method', async () => {
  const listed = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  const other = '0x00000000000000000000000000000000000000aa'
  const key = await createKey('--allow-address', listed)
  const reasonOf = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = (await post(`/v3/${key}`, {}, body)).body as {
      error?: { data?: { reason?: string } }
    }
    return reply.error?.data?.reason ?? 'passes'
  }
  const byHash = { blockNumber: 'latest' }
  const slots = (...addresses: string[]) =>
    Object.fromEntries(addresses.map((address) => [address, [word(0)]]))
  const about = (address: string | undefined): readonly (readonly [string, unknown[]])[] => [
    ['eth_getBalance', [address, byHash]],
    ['eth_getCode', [address, 'latest']],
    ['eth_getStorageAt', [address, '0x0', 'latest']],
    ['eth_getTransactionCount', [address, 'pending']],
    ['eth_getProof', [address, [], 'latest']],
    ['eth_getStorageValues', [slots(address ?? '')]],
    ['eth_call', [{ to: address, from: other }]],
    ['eth_estimateGas', [{ to: address }]],
    ['eth_createAccessList', [{ to: address }]],
    ['debug_traceCall', [{ to: address }, 'latest']],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: address }] }] }]],
    ['eth_getLogs', [{ address }]],
    ['eth_newFilter', [{ address: [address] }]],
  ]
  for (const [method, params] of about(listed)) {
    assert.equal(await reasonOf(method, params), 'passes', method)
  }
  for (const [method, params] of about(other)) {
    assert.equal(await reasonOf(method, params), 'address', method)
  }
  const around: readonly (readonly [string, unknown[]])[] = [
    ['eth_getStorageValues', [slots(listed, other)]],
    ['eth_getLogs', [{}]],
    ['eth_getLogs', [{ address: [] }]],
    ['eth_getLogs', [{ address: [listed, other] }]],
    ['eth_newFilter', [{ address: [listed, other] }]],
    ['eth_newFilter', [{}]],
    ['eth_call', [{ data: '0x' }]],
    ['eth_call', [{ to: null }]],
    ['eth_call', [{ to: listed }, 'latest', { [listed]: { code: '0x00' } }]],
    ['eth_call', [{ to: listed }, 'latest', { [listed]: { stateDiff: { [word(0)]: word(1) } } }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: listed }, { to: other }] }] }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: listed }, { data: '0x00' }] }] }]],
    [
      'eth_simulateV1',
      [
        {
          blockStateCalls: [
            { calls: [{ to: listed }] },
            { stateOverrides: { [listed]: { code: '0x00' } }, calls: [{ to: listed }] },
          ],
        },
      ],
    ],
    ['eth_estimateGas', [{ to: listed }, 'latest', { [other]: { code: '0x00' } }]],
    [
      'debug_traceCall',
      [{ to: listed }, 'latest', { stateOverrides: { [listed]: { code: '0x' } } }],
    ],
  ]
  for (const [method, params] of around) {
    assert.equal(await reasonOf(method, params), 'address', JSON.stringify([method, params]))
  }
  const rich = { [other]: { balance: '0x1' } }
  assert.equal(await reasonOf('eth_call', [{ to: listed }, 'latest', rich]), 'passes')
  assert.equal(await reasonOf('eth_blockNumber', []), 'passes')
})

test('allowlists of a running server apply within one second, and are skipped for the overriding secret', async () => {
  const { apiKey, apiKeySecret, id } = (await cairn.cli('keys', 'create')) as Record<string, string>
  assert(apiKey !== undefined && id !== undefined)
  assert.equal((await post(`/v3/${apiKey}`)).status, 200)
  const reaches = async (status: number, headers: Record<string, string> = {}) => {
    for (const until = Date.now() + 60_000; Date.now() < until;) {
      if ((await post(`/v3/${apiKey}`, headers)).status === status) return
    }
    assert.fail(`never ${status}`)
  }
  await cairn.cli('keys', 'set', id, '--allow-ip', '192.0.2.0/24', '--allow-user-agent', 'App')
  await reaches(403)
  const secret = { authorization: `Basic ${btoa(`:${apiKeySecret}`)}` }
  const ip = await refusal(`/v3/${apiKey}`, secret)
  assert.deepEqual(ip.body, settingRefusal('ip'))
  await cairn.cli('keys', 'set', id, '--override-with-secret')
  await reaches(200, secret)
  assert.equal((await post(`/v3/${apiKey}`)).status, 403)
  await cairn.cli('keys', 'set', id, '--allow-ip', '127.0.0.0/8')
  await reaches(200, { 'user-agent': 'My App/2' })
  assert.deepEqual((await refusal(`/v3/${apiKey}`)).body, settingRefusal('user_agent'))
})

test('the IPFS API names the rule in its own text, before it checks that the command exists', async () => {
  const made = (await cairn.cli('keys', 'create', '--allow-method', 'version')) as Record<
    string,
    string
  >
  const authorization = `Basic ${btoa(`${made['apiKey']}:${made['apiKeySecret']}`)}`
  const ask = (command: string, headers: Record<string, string> = {}) =>
    fetch(`${cairn.url}/api/v0/${command}`, {
      method: 'POST',
      headers: { authorization, ...headers },
    })
  assert.equal((await ask('version')).status, 200)
  for (const command of ['pin/ls', 'pin/add/x', 'nothing', 'Version', 'version/x/y']) {
    const reply = await ask(command)
    const Message = 'rejected due to project ID settings: method'
    assert.deepEqual(
      [reply.status, await reply.json()],
      [403, { Message, Code: 4, Type: 'error' }],
      command,
    )
  }
  const id = made['id'] ?? ''
  await cairn.cli('keys', 'set', id, '--allow-method', 'none', '--allow-origin', 'a.example')
  let reply = await ask('version')
  for (const until = Date.now() + 60_000; reply.status === 200 && Date.now() < until;) {
    reply = await ask('version')
  }
  assert.equal(((await reply.json()) as { Message: string }).Message.split(': ')[1], 'origin')
  const page = await ask('version', { origin: 'https://a.example' })
  assert.equal(page.headers.get('access-control-allow-origin'), 'https://a.example')
  const stranger = await ask('version', { origin: 'https://b.example' })
  assert.deepEqual(
    [stranger.status, stranger.headers.get('access-control-allow-origin')],
    [403, null],
  )
})

test('G17c, G17e: a network that is disabled for the key is 403 and named', async () => {
  const key = await createKey('--networks', 'polygon-mainnet')
  const reply = await refusal(`/v3/${key}`)
  assert.deepEqual(refusalOf(reply), [403, -32002, 'project ID does not have access to dev'])
  const { data } = (reply.body as { error: { data: { reason: string } } }).error
  assert.equal(data.reason, 'network')
})

test('G17d, G17e: over the rate is 429 with a padded Retry-After, over the daily limit 402 without', async () => {
  const slow = await createKey('--units-per-second', '1')
  const items = Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_blockNumber',
  }))
  // A full batch uses the whole burst.
  assert.equal((await post(`/v3/${slow}`, {}, JSON.stringify(items))).status, 200)
  const rate = await refusal(`/v3/${slow}`)
  assert.deepEqual(refusalOf(rate), [429, -32005, 'project ID request rate exceeded'])
  assert.match(rate.headers.get('retry-after') ?? '', /^0[1-9][0-9]*$/)

  const daily = await createKey('--units-per-day', '4')
  const day = await refusal(`/v3/${daily}`)
  assert.deepEqual(refusalOf(day), [402, 402, 'daily request count exceeded, request rate limited'])
  assert.equal(day.headers.get('retry-after'), null)
})

test('G17f: the preflight and every refusal name the origin of the request', async () => {
  const origin = 'https://a.example'
  const preflight = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
    method: 'OPTIONS',
    headers: { origin },
  })
  assert.equal(preflight.status, 204)
  const refused = await post('/v3/nosuchkey1234', { origin })
  assert.equal(refused.status, 401)
  for (const { headers } of [preflight, refused]) {
    assert.equal(headers.get('access-control-allow-origin'), origin)
    assert.match(headers.get('vary') ?? '', /\bOrigin\b/)
  }
})

test('G7 to G11: recorded storage reads, and the messages for an invalid position', async (t) => {
  const recorded = await startRecordedChain(t)
  const read = (...params: string[]) => recorded.rpc('eth_getStorageAt', params)
  const contract = testChain.emitter

  const g7 = { jsonrpc: '2.0', id: 1, result: testChain.emitted }
  assert.deepEqual(await read(contract, word(0), 'latest'), g7)
  assert.deepEqual(await read(contract, word(0)), g7)
  for (const g8 of ['0x0', '0', '0x', '0X00']) {
    assert.deepEqual(await read(contract, g8, 'latest'), g7)
  }
  const far = `0x01${'0'.repeat(62)}`
  const g9 = await read('0xc1cadaffffffffffffffffffffffffffffffffff', far, 'latest')
  assert.equal(g9.result, word(0))
  const empty = '0xaa00000000000000000000000000000000000000'
  const g10 = await read(empty, '0xasdf', 'latest')
  assert.deepEqual(g10, error(-32602, 'invalid hex in storage key: "0xasdf"'))
  const long = `0x${'0'.repeat(65)}`
  const g11 = await read(empty, long, 'latest')
  const tooLong = `storage key too long (want at most 32 bytes): "${long}"`
  assert.deepEqual(g11, error(-32602, tooLong))
})
