// The golden cases of the JSON-RPC contract over the wire, each by its name. Envelopes (G14 to G16) are in
// rpc-envelope.ts, transaction objects (G4 to G6, G12, G13) and GM1 in golden.test.ts and beside the codec.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/codec/keccak.ts'
import { missingVectors } from '../fakes/chain-vectors.ts'
import { startRecordedChain } from '../fakes/recorded-chain.ts'
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

test('G1: the documented slot holds 1234 at latest, and its block number is above this head', async () => {
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

test('G15h: arguments that are missing, too many or no array', async () => {
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

/** The refusal of one call, and G17e: of a batch of two, with the same status and their ids. */
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
function told({ status, body }: Reply): readonly unknown[] {
  const fault = (body as { error: { code: number; message: string; data?: unknown } }).error
  return [status, fault.code, fault.message]
}

test('G17a, G17e: an unknown key, none and a wrong secret are 401 with a challenge', async () => {
  const wrong = { authorization: `Basic ${btoa(':wrong')}` }
  const cases: readonly (readonly [Reply, string])[] = [
    [await refusal('/v3/nosuchkey1234'), 'invalid project id'],
    [await refusal('/v3/'), 'project id required in the url'],
    [await refusal(`/v3/${cairn.apiKey}`, wrong), 'invalid project id or project secret'],
  ]
  for (const [reply, message] of cases) {
    assert.deepEqual(told(reply), [401, -32600, message])
    const challenge = reply.headers.get('www-authenticate')
    assert.equal(challenge, 'Basic realm="Auth failure, invalid project id"')
  }
})

test('G17b, G17e: a secret that is required and not sent is 403 and says so', async () => {
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

test('G17c, G17e: a network switched off for the key is 403 and named', async () => {
  const key = await createKey('--networks', 'polygon-mainnet')
  const reply = await refusal(`/v3/${key}`)
  assert.deepEqual(told(reply), [403, -32002, 'project ID does not have access to dev'])
  const { data } = (reply.body as { error: { data: { reason: string } } }).error
  assert.equal(data.reason, 'network')
})

test('G17d, G17e: over the rate is 429 with a padded Retry-After, over the day 402 without', async () => {
  const slow = await createKey('--units-per-second', '1')
  const items = Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_blockNumber',
  }))
  // A full batch takes the whole burst.
  assert.equal((await post(`/v3/${slow}`, {}, JSON.stringify(items))).status, 200)
  const rate = await refusal(`/v3/${slow}`)
  assert.deepEqual(told(rate), [429, -32005, 'project ID request rate exceeded'])
  assert.match(rate.headers.get('retry-after') ?? '', /^0[1-9][0-9]*$/)

  const daily = await createKey('--units-per-day', '4')
  const day = await refusal(`/v3/${daily}`)
  assert.deepEqual(told(day), [402, 402, 'daily request count exceeded, request rate limited'])
  assert.equal(day.headers.get('retry-after'), null)
})

test('G17f: the preflight and every refusal name the origin that asked', async () => {
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

test(
  'G7 to G11: recorded storage reads, and the words for a bad position',
  { skip: missingVectors },
  async (t) => {
    const recorded = await startRecordedChain(t)
    const read = (...params: string[]) => recorded.rpc('eth_getStorageAt', params)
    const contract = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'

    const g7 = { jsonrpc: '2.0', id: 1, result: word(0x38) }
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
  },
)
