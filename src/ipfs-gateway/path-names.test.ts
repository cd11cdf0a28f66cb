// `/ipns/<name>` on the gateway, on hosts of names and on hosts of DNSLink sites, over a real socket.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { base58btc } from 'multiformats/bases/base58'
import { requestContent } from '../../test/fakes/files/content-request.ts'
import { fileEntry, never } from '../../test/fakes/files/files-fixture.ts'
import { hourMs, newSigner } from '../../test/fakes/files/names-fixture.ts'
import { absentCid, startPathReader } from '../../test/fakes/gateway-client.ts'
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { verifyIpnsRecord, decodeIpnsRecord } from '../codec/ipld/ipns-record.ts'

const site = () => [
  fileEntry('s/index.html', '<h1>home</h1>'),
  fileEntry('s/sub/a b.txt', 'stone'),
  fileEntry('s/_redirects', '/old /sub/a%20b.txt 302\n/app/* /index.html 200\n'),
]

type Options = NonNullable<Parameters<typeof startPathReader>[1]>

/** A site with the name of a key and a DNS name; the key's TTL is 1800 s. */
async function startNames(t: TestContext, options: Options = {}) {
  const dns = new Map<string, { texts: string[]; ttlMs: number | null }>()
  const reader = await startPathReader(t, {
    dns,
    ...options,
    pathRules: { isPublic: () => true, ...options.pathRules },
    pathSettings: {
      deserialized: true,
      host: 'pages.test',
      subdomains: true,
      sites: ['site.example'],
      ...options.pathSettings,
    },
  })
  const root = await reader.add(site())
  const { port, ipns } = reader.server
  const { name, sign } = newSigner()
  const bytes = sign(`/ipfs/${root}`, 1n, systemClock.now() + hourMs, hourMs / 2)
  const put = { name, bytes, force: false }
  await ipns.names.put(reader.account.key, put, { offline: true }, never)
  dns.set('_dnslink.site.example', { texts: [`dnslink=/ipfs/${root}`], ttlMs: 120_000 })
  return {
    ...reader,
    dns,
    root,
    name,
    bytes,
    port,
    ask: (host: string, path: string, headers: Record<string, string> = {}) =>
      requestContent(`http://${host}:${port}${path}`, headers),
  }
}

test('a name leads to content, with the cache time of its record', async (t) => {
  const { ask, name } = await startNames(t)
  const file = await ask('127.0.0.1', `/ipns/${name.text}/sub/a%20b.txt`)
  assert.deepEqual([file.status, file.text], [200, 'stone'])
  assert.equal(file.headers['cache-control'], 'public, max-age=1800')
  assert.equal(file.headers['x-ipfs-path'], `/ipns/${name.text}/sub/a%20b.txt`)
  const tag = file.headers['etag'] ?? ''
  const again = await ask('127.0.0.1', `/ipns/${name.text}/sub/a%20b.txt`, { 'if-none-match': tag })
  assert.equal(again.status, 304)
  assert.equal(again.headers['cache-control'], 'public, max-age=1800')
  const page = await ask('127.0.0.1', `/ipns/${name.text}/sub/`)
  assert.match(page.text, new RegExp(`<a href="/ipns/${name.text}/sub/a%20b.txt">a b.txt</a>`))
  assert.match(page.text, new RegExp(`Index of /ipns/${name.text}/sub`))
  assert.equal(
    page.headers['cache-control'],
    'public, max-age=1800, stale-while-revalidate=2678400',
  )
  const moved = await ask('127.0.0.1', `/ipns/${name.text}/sub?x=1`)
  assert.deepEqual([moved.status, moved.headers['location']], [301, `/ipns/${name.text}/sub/?x=1`])
  const raw = await ask('127.0.0.1', `/ipns/${name.text}/sub/a%20b.txt?format=raw`)
  assert.deepEqual([raw.status, raw.headers['content-type']], [200, 'application/vnd.ipld.raw'])
})

test('a name has one spelling on paths, and one host below the content host', async (t) => {
  const { ask, name, port } = await startNames(t)
  const peerId = name.text
  const old = base58btc.baseEncode(name.multihash)
  const path = await ask('127.0.0.1', `/ipns/${old}/sub/?x=1`)
  assert.deepEqual([path.status, path.headers['location']], [302, `/ipns/${peerId}/sub/?x=1`])
  for (const spelled of [old, peerId]) {
    const { status, headers } = await ask('pages.test', `/ipns/${spelled}`)
    assert.equal(status, 301)
    assert.equal(headers['location'], `http://${peerId}.ipns.pages.test:${port}/`)
  }
  const dns = await ask('pages.test', '/ipns/Site.example/sub/?x')
  assert.equal(dns.headers['location'], `http://site-example.ipns.pages.test:${port}/sub/?x`)
  const uri = encodeURIComponent('ipns://site.example/sub')
  const response = await ask('pages.test', `/ipns/?uri=${uri}`)
  assert.equal(response.headers['location'], '/ipns/site.example/sub')
  const doubled = await ask('127.0.0.1', `//ipfs/ipns//${peerId}/sub`)
  assert.equal(doubled.headers['location'], `/ipns/${peerId}/sub`)
  assert.equal((await ask('127.0.0.1', '/ipns/nothing')).status, 400)
})

test('hosts of names serve the site with its redirects and without a sandbox', async (t) => {
  const { ask, name, port } = await startNames(t)
  for (const host of [
    `${name.text}.ipns.pages.test`,
    'site-example.ipns.pages.test',
    'site.example.ipns.pages.test',
    'site.example',
  ]) {
    const home = await ask(host, '/')
    assert.deepEqual([home.status, home.text], [200, '<h1>home</h1>'], host)
    assert.equal(home.headers['content-security-policy'], undefined)
    assert.equal(home.headers['origin-agent-cluster'], '?1')
    const app = await ask(host, '/app/page')
    assert.deepEqual([app.status, app.text], [200, '<h1>home</h1>'], host)
    const old = await ask(host, '/old')
    assert.deepEqual([old.status, old.headers['location']], [302, '/sub/a%20b.txt'])
    assert.equal((await ask(host, '/api/v0/version')).status, 404)
    const page = await ask(host, '/sub/')
    assert.match(page.text, /<a href="\/sub\/a%20b.txt">a b.txt<\/a>/, host)
  }
  const onSite = await ask('site.example', '/sub/')
  assert.match(onSite.text, new RegExp(`/ipns/<a href="//site.example:${port}/">site.example</a>`))
  assert.match(onSite.text, /<span class="ipfs-hash"/)
  const other = await ask('other.example', '/sub/')
  assert.equal(other.status, 404)
})

test('a record with a path behind its CID mounts that folder, for pages and redirects too', async (t) => {
  const { ask, add, server, account } = await startNames(t)
  const root = await add(
    site().map((entry) => ({ ...entry, path: entry.path.replace('s/', 's/deep/') })),
  )
  const { name, sign } = newSigner()
  const bytes = sign(`/ipfs/${root}/deep`, 1n, systemClock.now() + hourMs)
  const put = { name, bytes, force: false }
  await server.ipns.names.put(account.key, put, { offline: true }, never)
  const host = `${name.text}.ipns.pages.test`
  assert.equal((await ask(host, '/sub/a%20b.txt')).text, 'stone')
  assert.equal((await ask(host, '/app/x')).text, '<h1>home</h1>')
  const page = await ask(host, '/sub/')
  assert.match(page.text, /<a href="\/sub\/\.\.">/)
  assert.match(page.text, /<a href="\/sub\/a%20b.txt">/)
  assert.match(
    (await ask('127.0.0.1', `/ipns/${name.text}/sub/`)).text,
    /ipns\/k51[^"]*\/sub\/a%20b/,
  )
})

test('the record itself is served by format and by Accept, and only of a key', async (t) => {
  const { ask, name, bytes } = await startNames(t)
  for (const [query, headers] of [
    ['?format=ipns-record', {}],
    ['', { accept: 'application/vnd.ipfs.ipns-record' }],
  ] as const) {
    const record = await ask('127.0.0.1', `/ipns/${name.text}${query}`, headers)
    assert.equal(record.status, 200)
    assert.equal(record.headers['content-type'], 'application/vnd.ipfs.ipns-record')
    assert.equal(record.headers['cache-control'], 'public, max-age=1800')
    const shown = `attachment; filename="${name.text}.ipns-record"`
    assert.equal(record.headers['content-disposition'], shown)
    assert.equal(record.headers['content-length'], String(bytes.length))
  }
  verifyIpnsRecord(decodeIpnsRecord(bytes), name, systemClock.now())
  for (const path of ['/ipns/site.example', `/ipns/${name.text}/sub`, `/ipfs/${absentCid}`]) {
    assert.equal((await ask('127.0.0.1', `${path}?format=ipns-record`)).status, 400, path)
  }
  const absent = await ask('127.0.0.1', `/ipns/${newSigner().name.text}?format=ipns-record`)
  assert.equal(absent.status, 404)
})

test('a name that does not resolve is an error of the server, and one that is not listed is absent', async (t) => {
  const { ask } = await startNames(t)
  const unknown = await ask('127.0.0.1', `/ipns/${newSigner().name.text}/a`)
  assert.equal(unknown.status, 500)
  assert.match(unknown.text, /could not resolve name/)
  const unlisted = await ask('127.0.0.1', '/ipns/other.example/')
  assert.equal(unlisted.status, 404)
  assert.match(unlisted.text, /gateway\.dnslink/)
})

test('a denied name is refused, its content is not', async (t) => {
  const denied = new Set<string>()
  const { ask, name, root, dns } = await startNames(t, {
    pathRules: { denialOfName: (one) => (denied.has(one) ? 451 : null) },
  })
  denied.add(name.text).add('site.example')
  dns.set('_dnslink.other.example', { texts: [`dnslink=/ipns/${name.text}`], ttlMs: null })
  for (const [host, path] of [
    ['127.0.0.1', `/ipns/${name.text}/sub/`],
    ['127.0.0.1', `/ipns/${name.text}?format=ipns-record`],
    [`${name.text}.ipns.pages.test`, '/'],
    ['site.example', '/'],
    ['127.0.0.1', '/ipns/other.example/'],
  ] as const) {
    assert.equal((await ask(host, path)).status, 451, host + path)
  }
  assert.equal((await ask('127.0.0.1', `/ipfs/${root}/sub/`)).status, 200)
})

test('without a key a name opens nothing that its content would not', async (t) => {
  const { ask, name, get, basic } = await startNames(t, {
    pathRules: { isPublic: () => false },
    pathSettings: { sites: [] },
  })
  assert.equal((await ask('127.0.0.1', `/ipns/${name.text}/sub/`)).status, 401)
  const own = await ask('127.0.0.1', `/ipns/${name.text}/sub/a%20b.txt`, { authorization: basic })
  assert.equal(own.status, 200)
  assert.equal((await get(absentCid)).status, 404)
})

test('a request that is over the rate looks up no name', async (t) => {
  const looked: string[] = []
  const dns = {
    get(name: string) {
      looked.push(name)
      return undefined
    },
    has: () => true,
  } as unknown as ReadonlyMap<string, { texts: string[]; ttlMs: null }>
  const reader = await startPathReader(t, {
    dns,
    pathRules: {
      isPublic: () => true,
      admit: () => {
        throw new Fault('over_rate')
      },
    },
    pathSettings: { deserialized: true },
  })
  const reply = await fetch(`${reader.server.url}/ipns/a.example/`)
  assert.equal(reply.status, 429)
  await reply.arrayBuffer()
  assert.deepEqual(looked, [])
})
