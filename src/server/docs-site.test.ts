import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { sendRaw } from '../../test/fakes/raw-http.ts'
import { systemClock } from '../base/clock.ts'
import { readBuiltFiles } from '../http/built-files.ts'
import { createServer, defaultServerSettings } from '../http/server.ts'
import { sendAnswer, textAnswer } from '../http/text-answer.ts'
import { createDocsSite } from './docs-site.ts'

const home = '<!doctype html><title>Documentation</title>'
const guide = '<!doctype html><title>Guide</title>'.repeat(20)
const noPage = '<!doctype html><title>No such page</title>'

function builtFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = {
    'index.html': home,
    '404.html': noPage,
    'llms.txt': '# Cairn\n',
    'built-from.json': '{}',
    'guides/monitor.html': guide,
    'guides/monitor.html.br': brotliCompressSync(guide),
    'guides/monitor.md': '# One\n',
    'guides.html': guide,
    'assets/search-1a2b.json': '{}',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

async function startSite(t: TestContext, folder: string): Promise<string> {
  const docs = createDocsSite(readBuiltFiles(folder))
  const failures: unknown[] = []
  const server = createServer({
    settings: defaultServerSettings,
    routes: {
      any(exchange) {
        const read = docs(exchange)
        if (read !== null) return read
        sendAnswer(exchange.request, exchange.response, textAnswer(404, 'not of the site'))
      },
      rpc: () => {},
    },
    clock: systemClock,
    log: (_level, event, members) => failures.push({ event, members }),
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    await server.drain({ graceMs: 0, deadlineMs: 0 })
    deepEqual(failures, [])
  })
  return `http://127.0.0.1:${port}`
}

test('each page has one address; other spellings are redirected to it', async (t) => {
  const url = await startSite(t, builtFolder(t))
  const pages = { '/docs/': home, '/docs/guides/monitor': guide, '/docs/guides': guide }
  for (const [path, text] of Object.entries(pages)) {
    const response = await fetch(url + path)
    equal(await response.text(), text, path)
    equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    equal(response.headers.get('cache-control'), 'no-cache')
  }
  const others = {
    '/docs': '/docs/',
    '/docs/index.html': '/docs/',
    '/docs/guides/monitor/': '/docs/guides/monitor',
    '/docs/guides/monitor.html': '/docs/guides/monitor',
    '/docs/guides/': '/docs/guides',
  }
  for (const [path, location] of Object.entries(others)) {
    const response = await fetch(url + path, { redirect: 'manual' })
    deepEqual([response.status, response.headers.get('location')], [308, location], path)
  }
})

test('Markdown, the list for programs and the search text have their types', async (t) => {
  const url = await startSite(t, builtFolder(t))
  const types = {
    '/docs/guides/monitor.md': 'text/markdown; charset=utf-8',
    '/llms.txt': 'text/plain; charset=utf-8',
    '/docs/assets/search-1a2b.json': 'application/json',
  }
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await fetch(url + path)
    deepEqual([status, headers.get('content-type')], [200, type], path)
  }
})

test('a page loads its own assets only, and no page may frame it', async (t) => {
  const url = await startSite(t, builtFolder(t))
  for (const path of ['/docs/', '/docs/none', '/docs/guides/']) {
    const { headers } = await fetch(url + path, { redirect: 'manual' })
    const policy = headers.get('content-security-policy') ?? ''
    const assets = `${new URL(url).host}/docs/assets/`
    ok(policy.startsWith(`default-src 'none'; script-src ${assets}; style-src ${assets};`), policy)
    ok(!policy.includes('unsafe'), policy)
    match(policy, /frame-ancestors 'none'/)
    equal(headers.get('x-content-type-options'), 'nosniff')
    equal(headers.get('access-control-allow-origin'), null)
  }
})

test('a page is compressed as the client accepts it, and is not sent twice', async (t) => {
  const url = await startSite(t, builtFolder(t))
  const first = await fetch(`${url}/docs/guides/monitor`, { headers: { 'accept-encoding': 'br' } })
  equal(first.headers.get('content-encoding'), 'br')
  const etag = first.headers.get('etag') ?? ''
  const headers = { 'accept-encoding': 'br', 'if-none-match': etag }
  equal((await fetch(`${url}/docs/guides/monitor`, { headers })).status, 304)
})

test('a missing page is 404 with a page that helps, and no path leads to another file', async (t) => {
  const url = await startSite(t, builtFolder(t))
  const port = Number(new URL(url).port)
  const paths = [
    '/docs/none',
    '/docs/404',
    '/docs/404.html',
    '/docs/../package.json',
    '/docs/guides/../../package.json',
    '/docs/%2e%2e/index.html',
    '/docs//etc/passwd',
    '/docs/built-from.json',
    '/docs/guides/monitor.html.br',
    '/docs/__proto__',
  ]
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
    match(await sendRaw(port, request), /^HTTP\/1\.1 404 /, path)
  }
  equal(await (await fetch(`${url}/docs/none`)).text(), noPage)
  match(await (await fetch(`${url}/documents`)).text(), /not of the site/)
})

test('any Host may read it, and only GET and HEAD do', async (t) => {
  const url = await startSite(t, builtFolder(t))
  const port = Number(new URL(url).port)
  const request = 'GET /docs/ HTTP/1.1\r\nhost: api.example.org\r\nconnection: close\r\n\r\n'
  match(await sendRaw(port, request), /^HTTP\/1\.1 200 [^]*script-src api\.example\.org\/docs\//)
  const posted = await fetch(`${url}/docs/`, { method: 'POST' })
  deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  const head = await fetch(`${url}/docs/`, { method: 'HEAD' })
  equal(head.headers.get('content-length'), String(home.length))
})

test('without a build the error names the command that builds it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const response = await fetch(`${await startSite(t, folder)}/docs/`)
  equal(response.status, 503)
  match(await response.text(), /npm run dashboard/)
})
