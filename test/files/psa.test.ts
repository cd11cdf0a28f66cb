// The Pinning Service API of a running server, with plain HTTP requests.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { filesClient } from '../fakes/files/files-client.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

let server: Started
let files: ReturnType<typeof filesClient>
let psa: ReturnType<typeof psaClient>

before(async () => {
  server = await startCairn()
  files = filesClient(server)
  psa = psaClient(server)
})

after(() => server.stop())

const pinLs = async (cid: string) => (await files.post(`pin/ls?arg=${cid}&names=true`)).text()

/** Uploads and unpins, so that the content remains stored for a day. */
async function upload(text: string): Promise<string> {
  return await files.add(Buffer.from(text), 'pin=false&cid-version=1')
}

test('a request of stored content ends as a pin of the account, and both go together', async () => {
  const cid = await upload('a request')
  const meta = { app: 'test' }
  const origins = ['/ip4/203.0.113.1/tcp/4001/p2p/QmSource']
  const added = await psa.add({ cid, name: 'mine', meta, origins })
  assert.deepEqual(added.pin, { cid, name: 'mine', origins, meta })
  assert.deepEqual(added.delegates, [])
  assert.match(added.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const pinned = await psa.ends(added.requestid)
  assert.deepEqual({ ...pinned, status: '', info: {} }, { ...added, status: '', info: {} })
  assert.deepEqual(pinned.info, { dag_size: '9' })
  assert.match(await pinLs(cid), /"Name":"mine"/)

  const removed = await psa.call('DELETE', `/${added.requestid}`)
  assert.deepEqual([removed.status, await removed.text()], [202, ''])
  assert.match(await pinLs(cid), /is not pinned/)
  const gone = await psa.call('GET', `/${added.requestid}`)
  assert.equal(gone.status, 404)
  assert.deepEqual(await gone.json(), {
    error: { reason: 'NOT_FOUND', details: 'pin request not found' },
  })
})

test('a replaced request has a new ID, and only the new pin stays', async () => {
  const [first, second] = [await upload('the first'), await upload('the second')]
  const old = await psa.add({ cid: first })
  await psa.ends(old.requestid)
  const next = await psa.add({ cid: second, name: 'next' }, old.requestid)
  assert.notEqual(next.requestid, old.requestid)
  await psa.ends(next.requestid)
  assert.match(await pinLs(first), /is not pinned/)
  assert.match(await pinLs(second), /recursive/)
  assert.equal((await psa.call('GET', `/${old.requestid}`)).status, 404)
})

test('missing content stays queued with the reason', async () => {
  const cid = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const { requestid } = await psa.add({ cid, name: 'absent' })
  const status = async () => {
    const found = await psa.find(requestid)
    return found.info['status_details'] ?? ''
  }
  await until(
    async () => assert.match(await status(), /^try 1 failed: pin: .*; next try at /),
    30_000,
  )
  const { results } = await psa.list('?status=queued&name=absent')
  assert.deepEqual(
    results.map(({ requestid: id }) => id),
    [requestid],
  )
  await psa.call('DELETE', `/${requestid}`)
})

test('lists are paged by time and filtered', async () => {
  const names = ['list A', 'list B', 'LIST c', 'list D']
  const all = []
  for (const name of names) {
    const added = await psa.add({ cid: await upload(name), name, meta: { name, of: 'list test' } })
    all.push(await psa.ends(added.requestid))
  }
  const list = async (query: Record<string, string>) => {
    const { count, results } = await psa.list(`?${new URLSearchParams(query).toString()}`)
    return [count, ...results.map(({ pin }) => pin.name)]
  }
  const meta = JSON.stringify({ of: 'list test' })
  assert.deepEqual(await list({ meta, limit: '2' }), [4, 'list D', 'LIST c'])
  const before = all[2]?.created ?? ''
  assert.deepEqual(await list({ meta, before }), [2, 'list B', 'list A'])
  assert.deepEqual(await list({ meta, after: before }), [1, 'list D'])
  assert.deepEqual(await list({ name: 'list A' }), [1, 'list A'])
  assert.deepEqual(await list({ name: 'list a', match: 'exact' }), [0])
  assert.deepEqual(await list({ name: 'list C', match: 'iexact' }), [1, 'LIST c'])
  assert.deepEqual(await list({ name: 'list ', match: 'partial' }), [
    3,
    'list D',
    'list B',
    'list A',
  ])
  assert.equal((await list({ name: 'list ', match: 'ipartial' }))[0], 4)
  const cid = `${all[0]?.pin.cid},${all[1]?.pin.cid}`
  assert.deepEqual(await list({ cid }), [2, 'list B', 'list A'])
  assert.deepEqual(await list({ cid, status: 'queued,failed' }), [0])
  assert.deepEqual(await list({ meta: JSON.stringify({ of: 'list test', name: 'list B' }) }), [
    1,
    'list B',
  ])
})

test('wrong requests get the error object of the specification', async () => {
  const wrong = async (method: string, path: string, body?: unknown) => {
    const response = await psa.call(method, path, body)
    const { error } = (await response.json()) as { error: { reason: string; details: string } }
    return [response.status, error.reason, error.details]
  }
  const bad = (details: string) => [400, 'BAD_REQUEST', details]
  assert.deepEqual(await wrong('POST', '', {}), bad('cid: absent, expected a CID'))
  assert.deepEqual(await wrong('POST', '', { cid: 'Qm' }), bad('cid: "Qm" is not a CID'))
  assert.deepEqual(await wrong('POST', '', []), bad('the body: [] is not a JSON object'))
  const cid = 'bafkqaaa'
  const origins = Array.from({ length: 21 }, (_, n) => `/ip4/203.0.113.1/tcp/${n}`)
  assert.deepEqual(
    await wrong('POST', '', { cid, origins }),
    bad('origins: 21 multiaddrs, at most 20 are allowed'),
  )
  assert.deepEqual(
    await wrong('POST', '', { cid, name: 'n'.repeat(256) }),
    bad('name: 256 characters, at most 255 are allowed'),
  )
  assert.deepEqual(
    await wrong('POST', '', { cid, meta: { n: 1 } }),
    bad('meta: "n": 1 is not a text'),
  )
  assert.deepEqual(
    await wrong('GET', '?limit=1001'),
    bad('limit: "1001" is not a number from 1 to 1000'),
  )
  assert.deepEqual(await wrong('GET', '?limit=0'), bad('limit: "0" is not a number from 1 to 1000'))
  assert.deepEqual(
    await wrong('GET', '?status=done'),
    bad('status: "done" is not one of queued, pinning, pinned, failed'),
  )
  assert.deepEqual(
    await wrong('GET', '?before=yesterday'),
    bad('before: "yesterday" is not a time like 2020-07-27T17:32:28.276Z'),
  )
  assert.deepEqual(await wrong('PUT', ''), [405, 'WRONG_HTTP', 'method not allowed'])
  assert.deepEqual(await wrong('DELETE', ''), [405, 'WRONG_HTTP', 'method not allowed'])
  assert.deepEqual(await wrong('GET', '/no/such'), [404, 'NOT_FOUND', 'no such path'])
  const large = await psa.call('POST', '', { cid, meta: { large: 'x'.repeat(70_000) } })
  assert.equal(large.status, 413)
})

test('a token is the key and the secret, and everything else is unauthorized', async () => {
  const ask = async (authorization: string) => {
    const response = await fetch(`${server.url}/psa/pins`, {
      headers: authorization === '' ? {} : { authorization },
    })
    const { error } = (await response.json()) as { error?: { reason: string } }
    return [response.status, error?.reason, response.headers.get('www-authenticate')]
  }
  const { apiKey, apiKeySecret } = server
  const refused = [401, 'UNAUTHORIZED', 'Bearer realm="cairn"']
  assert.deepEqual(await ask(`Bearer ${apiKey}:${apiKeySecret}`), [200, undefined, null])
  for (const wrong of ['', 'Bearer ', `Bearer ${apiKey}`, `Bearer ${apiKey}:wrong`]) {
    assert.deepEqual(await ask(wrong), refused, wrong)
  }
})

test('a page of another origin can use it, as it can the IPFS API', async () => {
  const origin = 'https://app.example'
  const preflight = await fetch(`${server.url}/psa/pins`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'DELETE' },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /DELETE/)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/)
  const listed = await psa.call('GET', '', undefined, { origin })
  assert.equal(listed.headers.get('access-control-allow-origin'), origin)
})

test('requests are durable: a server that was killed goes on with them', async () => {
  const dataDir = await temporaryFolder()
  const one = await startCairn({ dataDir })
  const own = filesClient(one)
  const cid = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const { requestid } = await psaClient(one).add({ cid, name: 'survives' })
  await own.post('version')
  await one.kill()
  const other = await startCairn({ dataDir })
  try {
    const client = psaClient({ ...one, url: other.url })
    await until(async () => {
      const { status, info } = await client.find(requestid)
      assert.equal(status, 'queued')
      assert.match(info['status_details'] ?? '', /failed: pin:/)
    }, 30_000)
  } finally {
    await other.stop()
  }
})
