// IPNS names of a started server: real clients, real Kubo in both directions, a DNS server on loopback.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { create } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { missingKubo, startKubo } from '../engines/kubo.ts'
import { requestContent } from '../fakes/files/content-request.ts'
import { type DnsRecord, startDnsServer } from '../fakes/files/dns-server.ts'
import { newSigner } from '../fakes/files/names-fixture.ts'
import { type Started, startCairn } from '../started-server.ts'

const deadlineMs = 120_000
const missing = missingKubo()
const withKubo = missing === false ? { timeout: deadlineMs } : { skip: missing }

async function start(t: TestContext, env: Record<string, string> = {}): Promise<Started> {
  const cairn = await startCairn({ env: { CAIRN_IPNS_KEYS: 'true', ...env } })
  t.after(() => cairn.stop())
  return cairn
}

const basicOf = ({ apiKey, apiKeySecret }: Started): string =>
  `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}`

function clientOf(cairn: Started) {
  return create({ url: `${cairn.url}/api/v0`, headers: { authorization: basicOf(cairn) } })
}

const recordOf = (cairn: Started, name: string, init: RequestInit = {}) =>
  fetch(`${cairn.url}/routing/v1/ipns/${name}`, {
    ...init,
    headers: { authorization: basicOf(cairn) },
  })

test('kubo-rpc-client makes keys, publishes and resolves', { timeout: deadlineMs }, async (t) => {
  const cairn = await start(t)
  const client = clientOf(cairn)
  const { cid } = await client.add('stone')
  const key = await client.key.gen('site', { type: 'ed25519' })
  assert.deepEqual(await client.key.list(), [{ id: key.id, name: 'site' }])
  const published = await client.name.publish(cid, { key: 'site', lifetime: '1h', ttl: '5s' })
  assert.deepEqual(published, { name: key.id, value: `/ipfs/${cid.toString()}` })
  const resolved: string[] = []
  for await (const path of client.name.resolve(key.id)) resolved.push(path)
  assert.deepEqual(resolved, [`/ipfs/${cid.toString()}`])
  const own = await client.name.publish(`/ipfs/${cid.toString()}`)
  assert.notEqual(own.name, key.id)
  assert.equal(await client.resolve(`/ipns/${own.name}`), `/ipfs/${cid.toString()}`)
  const renamed = await client.key.rename('site', 'page')
  assert.deepEqual(renamed, { id: key.id, was: 'site', now: 'page', overwrite: false })
  assert.deepEqual(await client.key.rm('page'), { id: key.id, name: 'page' })
  const chunks: Uint8Array[] = []
  for await (const chunk of client.cat(`/ipns/${key.id}` as never)) chunks.push(chunk)
  assert.equal(Buffer.concat(chunks).toString(), 'stone')
})

test(
  'keys are off by default, records that clients sign are not',
  { timeout: deadlineMs },
  async (t) => {
    const cairn = await start(t, { CAIRN_IPNS_KEYS: 'false' })
    await assert.rejects(clientOf(cairn).key.gen('site'), /has not set ipns\.keys/)
    const { name, sign } = newSigner()
    const body = sign('/ipfs/bafkqaaa', 1n, Date.now() + 3_600_000)
    const put = await recordOf(cairn, name.text, { method: 'PUT', body })
    assert.deepEqual([put.status, await put.text()], [200, ''])
    const older = sign('/ipfs/bafkqabi', 0n, Date.now() + 3_600_000)
    assert.equal((await recordOf(cairn, name.text, { method: 'PUT', body: older })).status, 400)
    const long = new Uint8Array(20_000)
    assert.equal((await recordOf(cairn, name.text, { method: 'PUT', body: long })).status, 413)
    const got = await recordOf(cairn, name.text)
    assert.deepEqual(
      [got.status, got.headers.get('content-type'), got.headers.get('cache-control')],
      [200, 'application/vnd.ipfs.ipns-record', 'public, max-age=60'],
    )
    assert.deepEqual(new Uint8Array(await got.arrayBuffer()), new Uint8Array(body))
    assert.equal((await recordOf(cairn, newSigner().name.text)).status, 404)
    assert.equal((await recordOf(cairn, 'nothing')).status, 400)
    assert.equal((await recordOf(cairn, name.text, { method: 'DELETE' })).status, 405)
    const open = await fetch(`${cairn.url}/routing/v1/ipns/${name.text}`)
    assert.equal(open.status, 401)
  },
)

test(
  'names and keys outlive a restart, and nothing looks up a name by itself',
  { timeout: deadlineMs },
  async (t) => {
    const cairn = await start(t)
    const client = clientOf(cairn)
    const { cid } = await client.add('stone')
    const { name } = await client.name.publish(cid)
    await cairn.kill()
    const again = await startCairn({ dataDir: cairn.dataDir, env: { CAIRN_IPNS_KEYS: 'true' } })
    t.after(() => again.stop())
    const authorization = basicOf(cairn)
    const url = `${again.url}/api/v0/name/publish?arg=${cid.toString()}&quieter=true`
    const published = await fetch(url, { method: 'POST', headers: { authorization } })
    assert.equal(((await published.json()) as { Name: string }).Name, name)
    const unlisted = await fetch(`${again.url}/ipns/example.org/?format=raw`, {
      headers: { authorization },
    })
    assert.equal(unlisted.status, 404)
  },
)

test(
  'a DNSLink site is served to its host, over DNS over HTTPS',
  { timeout: deadlineMs },
  async (t) => {
    const records = new Map<string, DnsRecord>()
    const dns = await startDnsServer(t, records)
    const cairn = await start(t, {
      CAIRN_IPNS_DOH: dns.url,
      CAIRN_GATEWAY_DNSLINK: 'site.example, other.example',
      CAIRN_GATEWAY_PUBLIC: 'true',
      CAIRN_GATEWAY_DESERIALIZED: 'true',
    })
    const { cid } = await clientOf(cairn).add('stone')
    records.set('_dnslink.site.example', { texts: [`dnslink=/ipfs/${cid.toString()}`], ttl: 300 })
    const { port } = new URL(cairn.url)
    const site = (path: string, host = 'site.example') =>
      requestContent(`http://${host}:${port}${path}`, {}, { via: Number(port) })
    const page = await site('/')
    assert.deepEqual([page.status, page.text], [200, 'stone'])
    assert.match(page.headers['cache-control'] ?? '', /^public, max-age=(300|299)$/)
    assert.equal((await site('/api/v0/version')).status, 404)
    assert.equal((await site(`/ipns/site.example`, '127.0.0.1')).text, 'stone')
    assert.equal((await site('/', 'other.example')).status, 500)
    assert.deepEqual(dns.queriedNames, ['_dnslink.site.example', '_dnslink.other.example'])
  },
)

test(
  'Kubo resolves a name of Cairn by its router, and Cairn one that Kubo signed',
  withKubo,
  async (t) => {
    // Kubo sends no credentials to routers.
    const cairn = await start(t, { CAIRN_GATEWAY_PUBLIC: 'true' })
    const client = clientOf(cairn)
    const kubo = await startKubo(t, { routers: [cairn.url] })
    const content = await kubo.add(Buffer.from('stone'))
    const ours = await client.name.publish(CID.parse(content), { resolve: false })
    const resolved = await kubo.call('name/resolve', { arg: ours.name })
    assert.deepEqual(JSON.parse(resolved), { Path: `/ipfs/${content}` })
    const other = await startKubo(t)
    const terms = { arg: content, 'allow-offline': 'true', resolve: 'false', ttl: '7s' }
    const reply = await other.call('name/publish', terms)
    const { Name: theirs } = JSON.parse(reply) as { Name: string }
    const events = (await other.call('routing/get', { arg: `/ipns/${theirs}` })).trim().split('\n')
    const found = events.map((line) => JSON.parse(line) as { Type: number; Extra: string })
    const record = Buffer.from(found.find(({ Type }) => Type === 5)?.Extra ?? '', 'base64')
    const put = await recordOf(cairn, theirs, { method: 'PUT', body: new Uint8Array(record) })
    assert.deepEqual([put.status, await put.text()], [200, ''])
    const there: string[] = []
    for await (const path of client.name.resolve(theirs)) there.push(path)
    assert.deepEqual(there, [`/ipfs/${content}`])
  },
)
