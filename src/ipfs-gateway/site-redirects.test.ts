import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { requestContent } from '../../test/fakes/files/content-request.ts'
import { fileEntry } from '../../test/fakes/files/files-fixture.ts'
import { startPathReader } from '../../test/fakes/gateway-client.ts'
import type { PathRules } from './create-gateway-pipeline.ts'

async function startSite(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  rules: Partial<PathRules> = {},
) {
  const reader = await startPathReader(t, {
    pathRules: { isPublic: () => true, ...rules },
    pathSettings: { host: 'pages.test', subdomains: true, deserialized: true },
  })
  const entries = Object.entries(files).map(([name, text]) => fileEntry(`s/${name}`, text))
  const root = await reader.add(entries, { cidVersion: 1, rawLeaves: true })
  const { port } = reader.server
  return {
    root,
    ask: (path: string, headers: Record<string, string> = {}) =>
      requestContent(`http://${root}.ipfs.pages.test:${port}${path}`, headers),
    askShared: (path: string) => requestContent(`http://api.test:${port}/ipfs/${root}${path}`),
  }
}

const page = { 'index.html': 'the app', 'about/index.html': 'about', '404.html': 'lost' }

test('a rewrite answers an absent path with a file of the site, and its tag', async (t) => {
  const { ask } = await startSite(t, { ...page, _redirects: '/* /index.html 200\n' })
  const rewritten = await ask('/users/7')
  assert.deepEqual([rewritten.status, rewritten.text], [200, 'the app'])
  assert.equal(rewritten.headers['content-type'], 'text/html; charset=utf-8')
  const etag = rewritten.headers['etag'] ?? ''
  assert.equal((await ask('/users/7', { 'if-none-match': etag })).status, 304)
  assert.equal((await ask('/about/')).text, 'about')
  assert.equal((await ask('/about')).status, 301)
  assert.equal((await ask('/_redirects')).text, '/* /index.html 200\n')
})

test('a rewrite to a directory gives its index', async (t) => {
  const { ask } = await startSite(t, { ...page, _redirects: '/x /about 200\n/y /about/ 200\n' })
  assert.equal((await ask('/x')).text, 'about')
  assert.equal((await ask('/y')).text, 'about')
})

test('a redirect keeps its status and the query of the request', async (t) => {
  const { ask } = await startSite(t, {
    ...page,
    _redirects: '/old/:id /new/:id?from=old 302\n/away https://example.net/x 308\n',
  })
  const moved = await ask('/old/7?a=b')
  assert.deepEqual([moved.status, moved.headers['location']], [302, '/new/7?from=old&a=b'])
  const away = await ask('/away')
  assert.deepEqual([away.status, away.headers['location']], [308, 'https://example.net/x'])
})

test('a page of the site in place of content has the status of its rule, and no conditions', async (t) => {
  for (const status of [404, 410, 451]) {
    const { ask } = await startSite(t, { ...page, _redirects: `/* /404.html ${status}\n` })
    const lost = await ask('/nope', { 'if-none-match': '*', range: 'bytes=0-1' })
    assert.deepEqual([lost.status, lost.text], [status, 'lost'])
    assert.equal(lost.headers['cache-control'], 'public, max-age=29030400, immutable')
    const file = await ask('/404.html')
    assert.equal(file.status, 200)
    assert.equal(lost.headers['etag'], file.headers['etag'])
  }
})

test('a path without a rule, and a rule without its file, are a 404', async (t) => {
  const { ask } = await startSite(t, { ...page, _redirects: '/a /absent.html 200\n' })
  assert.match((await ask('/b')).text, /^no link named "b"/)
  const absent = await ask('/a')
  assert.deepEqual([absent.status, absent.text.slice(0, 17)], [404, 'no link named "a"'])
  const { ask: without } = await startSite(t, page)
  assert.equal((await without('/b')).status, 404)
})

test('a file of rules that cannot be parsed is a 500 for absent paths alone', async (t) => {
  const { ask } = await startSite(t, { ...page, _redirects: '/a /b 301!\n' })
  const { status, text } = await ask('/nope')
  assert.equal(status, 500)
  assert.equal(text, 'could not parse _redirects: line 1: status "301!" is not supported\n')
  assert.equal((await ask('/')).text, 'the app')
  const large = await startSite(t, { ...page, _redirects: '#'.repeat(65_537) })
  const refused = await large.ask('/nope')
  assert.equal(refused.status, 500)
  assert.match(refused.text, /redirects file size cannot exceed 65536 bytes/)
  const most = await startSite(t, { ...page, _redirects: '#'.repeat(65_536) })
  assert.equal((await most.ask('/nope')).status, 404)
})

test('rules apply on the origin of the root alone, and not to other formats', async (t) => {
  const { ask, askShared } = await startSite(t, { ...page, _redirects: '/* /index.html 200\n' })
  assert.equal((await askShared('/nope')).status, 404)
  assert.equal((await ask('/nope?format=raw')).status, 404)
  assert.equal((await ask('/nope', { accept: 'application/vnd.ipld.car' })).status, 404)
})

test('a denied page is denied behind a rule too', async (t) => {
  const { ask } = await startSite(
    t,
    { ...page, _redirects: '/* /404.html 200\n' },
    { denialOf: (_cid, segments = []) => (segments.join('/') === '404.html' ? 410 : null) },
  )
  assert.equal((await ask('/404.html')).status, 410)
  assert.equal((await ask('/other')).status, 410)
})
