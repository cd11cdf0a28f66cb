import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CID } from 'multiformats/cid'
import { cidOf, rawCodec } from '../codec/ipld/cid.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { requestContent } from '../../test/fakes/files/content-request.ts'
import { fileEntry } from '../../test/fakes/files/files-fixture.ts'
import { absentCid, startPathReader } from '../../test/fakes/gateway-client.ts'

const bare = { cidVersion: 1, rawLeaves: true } as const
const site = () => [
  fileEntry('s/index.html', '<h1>home</h1>'),
  fileEntry('s/app.js', 'document.title = 1'),
  fileEntry('s/sub/a.txt', 'stone'),
  fileEntry('s/ipfs/file.txt', 'not a path of the gateway'),
]

async function startSubdomains(
  t: TestContext,
  options: NonNullable<Parameters<typeof startPathReader>[1]> = {},
) {
  const reader = await startPathReader(t, {
    ...options,
    pathRules: { isPublic: () => true, ...options.pathRules },
    pathSettings: { host: 'pages.test', subdomains: true, ...options.pathSettings },
  })
  const { port } = reader.server
  return {
    ...reader,
    authority: `pages.test:${port}`,
    ask: (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
      requestContent(`http://${host}:${port}${path}`, headers, { method }),
  }
}

test('a path on the content host moves to the origin of its root, with the rest of the path and the query', async (t) => {
  const { add, ask, authority } = await startSubdomains(t)
  const v0 = await add(site())
  const label = CID.parse(v0).toV1().toString()
  const location = async (path: string) => {
    const { status, headers } = await ask('Pages.test', path)
    assert.equal(status, 301, path)
    return headers['location']
  }
  const origin = `http://${label}.ipfs.${authority}`
  assert.equal(await location(`/ipfs/${v0}`), `${origin}/`)
  assert.equal(await location(`/ipfs/${v0}/`), `${origin}/`)
  assert.equal(
    await location(`/ipfs/${label}/a%252C+b%20c/?x=%20y&format=raw`),
    `${origin}/a%252C+b%20c/?x=%20y&format=raw`,
  )
  assert.equal(await location(`//ipfs//${v0}/a`), `/ipfs/${v0}/a`)
  const uri = encodeURIComponent(`ipfs://${v0}/wiki/A.html`)
  assert.equal(await location(`/ipfs/?uri=${uri}`), `/ipfs/${v0}/wiki/A.html`)
})

test('what names no content on the content host is refused before it moves, and no API is there', async (t) => {
  const { ask } = await startSubdomains(t)
  const bad = await ask('pages.test', '/ipfs/QmInvalidCID')
  assert.deepEqual([bad.status, bad.headers['location']], [400, undefined])
  assert.match(bad.text, /^invalid path "\/ipfs\/QmInvalidCID"/)
  const long = cidOf(1, rawCodec, multihashOf('sha2-512', Buffer.from('stone'))).toString()
  for (const [host, path] of [
    ['pages.test', `/ipfs/${long}/`],
    [`${long}.ipfs.pages.test`, '/'],
  ] as const) {
    const { status, text } = await ask(host, path)
    assert.equal(status, 400)
    assert.match(text, /^CID incompatible with DNS label length limit of 63/)
  }
  const key = cidOf(1, 0x72, multihashOf('sha2-256', Buffer.from('key'))).toString()
  assert.match((await ask('pages.test', `/ipfs/${key}`)).text, /is an IPNS name/)
  assert.match(
    (await ask('x.ipns.pages.test', '/')).text,
    /"x" is neither an IPNS name nor a DNS name/,
  )
  assert.equal((await ask('notacid.ipfs.pages.test', '/')).status, 400)
  for (const path of ['/', '/api/v0/version', '/dashboard', '/v3/key', '/livez']) {
    assert.equal((await ask('pages.test', path)).status, 404, path)
    assert.equal((await ask(`${absentCid}.ipfs.pages.test`, path)).status, 404, path)
  }
})

test('on the origin of a root its files are at the paths of the site', async (t) => {
  const { add, ask } = await startSubdomains(t)
  const root = await add(site(), bare)
  const host = `${root}.ipfs.pages.test`
  const home = await ask(host, '/')
  assert.equal(home.text, '<h1>home</h1>')
  assert.equal(home.headers['x-ipfs-path'], `/ipfs/${root}/`)
  assert.match(home.headers['x-ipfs-roots'] ?? '', new RegExp(`^${root}`))
  assert.equal(home.headers['access-control-allow-origin'], '*')
  assert.equal(home.headers['etag'], `"${root}"`)
  assert.equal((await ask(host, '/sub/a.txt')).text, 'stone')
  assert.equal((await ask(host, '/ipfs/file.txt')).text, 'not a path of the gateway')
  assert.equal((await ask(host, `/ipfs/${root}/`)).status, 404)
  assert.equal((await ask(host, '/sub/a.txt', { range: 'bytes=1-2' })).text, 'to')
  const raw = await ask(host, '/sub/a.txt?format=raw')
  assert.equal(raw.headers['content-type'], 'application/vnd.ipld.raw')
  assert.equal((await ask(host, '/', {}, 'POST')).status, 405)
  assert.equal((await ask(host, '/', {}, 'OPTIONS')).status, 204)
})

test('other spellings of a root move to its one origin, so that a site has one storage', async (t) => {
  const { add, ask, authority } = await startSubdomains(t)
  const root = CID.parse(await add(site(), bare))
  const hex = `f${Buffer.from(root.bytes).toString('hex')}`
  assert.equal(hex.length > 63, true)
  const identity = 'bafkqaaa'
  const { status, headers } = await ask('f01550000.ipfs.pages.test', '/a?b')
  assert.deepEqual([status, headers['location']], [301, `http://${identity}.ipfs.${authority}/a?b`])
  const upper = await ask(`${root.toString().toUpperCase()}.ipfs.pages.test`, '/sub/a.txt')
  assert.equal(upper.text, 'stone')
})

test('pages on the origin of a root run without a sandbox, and with their service workers', async (t) => {
  const { add, ask } = await startSubdomains(t, { pathSettings: { deserialized: true } })
  const root = await add(site(), bare)
  const host = `${root}.ipfs.pages.test`
  const script = await ask(host, '/app.js', { 'service-worker': 'script' })
  assert.deepEqual(
    [script.status, script.headers['content-type'], script.headers['content-security-policy']],
    [200, 'text/javascript; charset=utf-8', undefined],
  )
  const home = await ask(host, '/')
  assert.equal(home.headers['content-security-policy'], undefined)
  assert.equal(home.headers['content-disposition'], undefined)
  assert.equal(home.headers['origin-agent-cluster'], '?1')
  const shared = await ask('other.test', `/ipfs/${root}/app.js`, { 'service-worker': 'script' })
  assert.equal(shared.status, 400)
})

test('a directory without its slash moves on its own origin, and never to another server', async (t) => {
  const { add, ask } = await startSubdomains(t)
  const root = await add([fileEntry('d/ą/ę/f.txt', 'x'), fileEntry('d/evil.test/f', 'x')], bare)
  const host = `${root}.ipfs.pages.test`
  const moved = async (path: string) => (await ask(host, path)).headers['location']
  assert.equal(await moved('/%C4%85/%C4%99?a=b'), '/%C4%85/%C4%99/?a=b')
  assert.equal(await moved('//evil.test'), '/evil.test/')
  const listing = await ask(host, '/%C4%85/%C4%99/')
  const gateway = new RegExp(`//pages\\.test:\\d+/ipfs/${root}/%C4%85/%C4%99`)
  assert.match(listing.text, gateway)
  assert.match(listing.text, /<a href="\/%C4%85\/%C4%99\/\.\.">/)
  assert.match(listing.text, /<a href="\/%C4%85\/%C4%99\/f\.txt">/)
  const top = await ask(host, '/')
  assert.match(top.text, /<a href="\/%C4%85">/)
  assert.doesNotMatch(top.text, />\.\.</)
})

test('without subdomains the content host shows pages at their paths, in a sandbox', async (t) => {
  const { add, ask } = await startSubdomains(t, { pathSettings: { subdomains: false } })
  const root = await add(site(), bare)
  const home = await ask('pages.test', `/ipfs/${root}/`)
  assert.equal(home.text, '<h1>home</h1>')
  assert.match(home.headers['content-security-policy'] ?? '', /^sandbox/)
})

test('a person at this machine reads pinned content without a key, and nothing else', async (t) => {
  const { add, ask, server, basic } = await startSubdomains(t, {
    pathRules: { isPublic: () => false },
    pathSettings: { local: true },
  })
  const pinned = await add(site(), bare)
  const loose = await add([fileEntry('', 'loose')], { ...bare, pin: false })
  const [ours, other] = [`${pinned}.ipfs.pages.test`, `${loose}.ipfs.pages.test`]
  assert.equal((await ask(ours, '/sub/a.txt')).text, 'stone')
  const refused = await ask(other, '/')
  assert.deepEqual([refused.status, refused.headers['www-authenticate']], [404, undefined])
  assert.match(refused.text, /is not pinned on this server/)
  assert.equal((await ask(other, '/', { authorization: basic })).text, 'loose')
  // The origin of the APIs, another port, a proxy, a page of another origin.
  assert.equal((await ask('127.0.0.1', `/ipfs/${pinned}?format=raw`)).status, 401)
  const wrongPort = { host: `${ours}:1` }
  assert.equal((await ask(ours, '/sub/a.txt', wrongPort)).status, 401)
  assert.equal((await ask(ours, '/sub/a.txt', { via: '1.1 proxy' })).status, 401)
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
  assert.equal((await ask(ours, '/sub/a.txt', foreign)).status, 401)
  assert.equal(server.settled.length, 1)
})

test('a trusted proxy names host and scheme, and another client does not', async (t) => {
  const { add, ask } = await startSubdomains(t, { trustedProxy: true })
  const root = await add(site(), bare)
  const forwarded = { 'x-forwarded-host': 'pages.test', 'x-forwarded-proto': 'https' }
  const moved = await ask('inside.test', `/ipfs/${root}`, forwarded)
  assert.deepEqual(
    [moved.status, moved.headers['location']],
    [301, `https://${root}.ipfs.pages.test/`],
  )
  const direct = await startSubdomains(t)
  await direct.add(site(), bare)
  assert.equal((await direct.ask('inside.test', `/ipfs/${root}?format=raw`, forwarded)).status, 200)
  const plain = await direct.ask('pages.test', `/ipfs/${root}`, forwarded)
  assert.equal(plain.headers['location'], `http://${root}.ipfs.${direct.authority}/`)
})
