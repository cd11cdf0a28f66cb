// `pin/remote`: one started server uses the Pinning Service API of another.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { create } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { filesClient } from '../fakes/files/files-client.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { type Started, startCairn } from '../started-server.ts'

let near: Started
let far: Started
let files: ReturnType<typeof filesClient>

before(async () => {
  const anywhere = { CAIRN_FILES_REMOTE_PINS_ANYWHERE: 'true' }
  ;[near, far] = await Promise.all([startCairn({ env: anywhere }), startCairn()])
  files = filesClient(near)
  const name = encodeURIComponent(`${far.apiKey}:${far.apiKeySecret}`)
  const added = await command(`service/add?arg=far&arg=${far.url}//psa/&arg=${name}`)
  assert.deepEqual(added, [200, ''])
})

after(() => Promise.all([near.stop(), far.stop()]))

/** Status, and the body or the error message. */
async function command(line: string): Promise<[number, string]> {
  const response = await files.post(`pin/remote/${line}`)
  const text = await response.text()
  if (response.status !== 500) return [response.status, text]
  return [response.status, (JSON.parse(text) as { Message: string }).Message]
}

async function lines(line: string): Promise<unknown[]> {
  const [status, text] = await command(line)
  assert.equal(status, 200, text)
  return text
    .split('\n')
    .filter(Boolean)
    .map((one) => JSON.parse(one) as unknown)
}

const upload = async (text: string) => {
  await files.add(Buffer.from(text), 'cid-version=1')
  return await filesClient(far).add(Buffer.from(text), 'pin=false&cid-version=1')
}

test('a pin at another Cairn is added, listed and removed with the shapes of Kubo', async () => {
  const cid = await upload('far away')
  const [added] = await lines(`add?arg=${cid}&service=far&name=backup`)
  assert.deepEqual(added, { Status: 'pinned', Cid: cid, Name: 'backup' })
  assert.match(await (await filesClient(far).post(`pin/ls?arg=${cid}&names=true`)).text(), /backup/)
  assert.deepEqual(await lines('ls?service=far&name=backup'), [added])
  assert.deepEqual(await lines(`ls?service=far&cid=${cid}&status=queued&status=failed`), [])
  assert.deepEqual(await lines(`ls?service=far&cid=${cid}&status=queued,pinned`), [added])
  const again = await lines(`add?arg=/ipfs/${cid}&service=far&name=backup`)
  assert.deepEqual(again, [added])
  assert.deepEqual(await command('rm?service=far&name=backup'), [
    500,
    'multiple remote pins are matching this query, add --force to confirm the bulk removal',
  ])
  assert.deepEqual(await command('rm?service=far&name=backup&force=true'), [200, ''])
  assert.deepEqual(await lines('ls?service=far&name=backup'), [])
})

test('with background=true the answer does not wait for the content', async () => {
  const cid = await files.add(Buffer.from('only here'), 'cid-version=1')
  const [added] = await lines(`add?arg=${cid}&service=far&name=waits&background=true`)
  assert.deepEqual(added, { Status: 'queued', Cid: cid, Name: 'waits' })
  const { results } = await psaClient(far).list('?name=waits&status=queued,pinning')
  assert.deepEqual(
    results.map(({ pin }) => pin.cid),
    [cid],
  )
  assert.deepEqual(await command('rm?service=far&name=waits&status=queued,pinning'), [200, ''])
})

test('services are listed without their keys, with their counts on request', async () => {
  await command(`service/add?arg=dead&arg=http://127.0.0.1:1&arg=none`)
  await command(`service/add?arg=wrong&arg=${far.url}/psa&arg=a:b`)
  const listed = async (query: string) => {
    const [{ RemoteServices } = { RemoteServices: [] }] = (await lines(`service/ls${query}`)) as {
      RemoteServices: { Service: string; ApiEndpoint: string; Stat?: { Status: string } }[]
    }[]
    // Other tests add services too.
    const own = new Set(['dead', 'far', 'wrong'])
    return RemoteServices.filter(({ Service }) => own.has(Service))
  }
  assert.deepEqual(await listed(''), [
    { Service: 'dead', ApiEndpoint: 'http://127.0.0.1:1' },
    { Service: 'far', ApiEndpoint: `${far.url}/psa` },
    { Service: 'wrong', ApiEndpoint: `${far.url}/psa` },
  ])
  const stats = await listed('?stat=true')
  assert.deepEqual(
    stats.map(({ Service, Stat }) => [Service, Stat?.Status]),
    [
      ['dead', 'invalid'],
      ['far', 'valid'],
      ['wrong', 'invalid'],
    ],
  )
  assert.deepEqual(await command('ls?service=wrong'), [
    500,
    'reason: "UNAUTHORIZED", details: "invalid project id or project secret": 401',
  ])
  assert.match(
    (await command('ls?service=dead'))[1],
    /^empty response from remote pinning service: /,
  )
  assert.deepEqual(await command('service/rm?arg=dead'), [200, ''])
  assert.deepEqual(await command('service/rm?arg=wrong'), [200, ''])
  assert.equal((await listed('')).length, 1)
})

test('wrong commands get the texts of Kubo', async () => {
  const refused = (text: string) => [500, text]
  assert.deepEqual(await command('ls'), refused('a service name must be passed'))
  assert.deepEqual(await command('ls?service=none'), refused('service not known'))
  assert.deepEqual(
    await command('ls?service=far&status=done'),
    refused('status "done" is not valid'),
  )
  assert.deepEqual(
    await command(`service/add?arg=far&arg=https://example.com&arg=x`),
    refused('service already present'),
  )
  const add = (endpoint: string) => command(`service/add?arg=new&arg=${endpoint}&arg=x`)
  assert.deepEqual(await add('ftp://a'), refused('service endpoint must be a valid HTTP URL'))
  assert.deepEqual(
    await add('https://example.com/pins'),
    refused('service endpoint should be provided without the /pins suffix'),
  )
  assert.deepEqual(
    await add(encodeURIComponent('https://example.com/?a=b')),
    refused('service endpoint should be provided without any query parameters'),
  )
  assert.deepEqual(await command('service/add?arg=a&arg=b'), [400, 'argument "key" is required\n'])
})

test('a server reaches no private address for accounts unless its operator allows it', async () => {
  const { post } = filesClient(far)
  for (const endpoint of [near.url, 'https://127.0.0.1', 'https://localhost', 'https://[::1]']) {
    const response = await post(`pin/remote/service/add?arg=n&arg=${endpoint}&arg=x`)
    assert.equal(response.status, 500, endpoint)
    assert.match(await response.text(), /not on the public internet|must be a URL like https/)
  }
})

test('an answer that is not of the specification, or too long, is an error', async (t) => {
  let answer = ''
  const server = createServer((_, response) => response.end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  await command(`service/add?arg=odd&arg=http://127.0.0.1:${port}&arg=x`)
  const malformed = [500, 'malformed answer of remote pinning service']
  for (const odd of ['', '[]', '{"count":1,"results":[{}]}', '{"count":"1","results":[]}']) {
    answer = odd
    assert.deepEqual(await command('ls?service=odd'), malformed, odd)
  }
  answer = `{"count":1,"results":[],"more":"${'x'.repeat(8 * 1024 * 1024)}"}`
  assert.match((await command('ls?service=odd'))[1], /is over 8388608 bytes/)
})

test('kubo-rpc-client adds, lists and removes remote pins', async () => {
  const { headers } = files
  const { remote } = create({ url: near.url, headers }).pin
  const cid = CID.parse(await upload('by the JS client'))
  const services = await remote.service.ls({ stat: true } as object)
  assert.equal(services[0]?.service, 'far')
  const pin = await remote.add(cid, { service: 'far', name: 'js', background: false })
  assert.deepEqual([pin.cid.toString(), pin.name, pin.status], [cid.toString(), 'js', 'pinned'])
  const listed = await Array.fromAsync(
    remote.ls({ service: 'far', cid: [cid], status: ['pinned', 'queued'] }),
  )
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['js'],
  )
  await remote.rm({ service: 'far', cid: [cid] })
  assert.deepEqual(await Array.fromAsync(remote.ls({ service: 'far', cid: [cid] })), [])
  const endpoint = new URL(`${far.url}/psa`)
  await remote.service.add('second', { endpoint, key: `${far.apiKey}:${far.apiKeySecret}` })
  await remote.service.rm('second')
})

test('the key of a service is nowhere in the database and the log', async () => {
  const names = await readdir(near.dataDir)
  const found = []
  for (const name of names.filter((one) => one.startsWith('cairn.db'))) {
    const bytes = await readFile(join(near.dataDir, name))
    if (bytes.includes(far.apiKeySecret)) found.push(name)
  }
  assert.deepEqual(found, [])
  assert.ok(!near.log().includes(far.apiKeySecret))
})
