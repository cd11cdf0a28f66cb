import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sendRaw } from '../../../test/fakes/raw-http.ts'
import { systemClock } from '../../base/clock.ts'
import { createAdminApi, withMetrics } from '../http/admin-api.ts'
import { createDashboardHandler } from './dashboard-handler.ts'
import { createRoutes } from '../../server/open-endpoints.ts'
import { createServer, defaultServerSettings } from '../../http/server.ts'
import { readBuiltFiles } from '../../http/built-files.ts'
import { sendAnswer, textAnswer } from '../../http/text-answer.ts'

const page = '<!doctype html><title>Cairn</title>'
const cardPage = '<!doctype html><title>Add a card</title>'
const script = 'console.log("a stone upon a stone, upon a stone, upon a stone")'

function builtFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'card.html'), cardPage)
  writeFileSync(join(folder, 'built-from.json'), '{}')
  writeFileSync(join(folder, 'assets/main-1a2b.js'), script)
  writeFileSync(join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync(script))
  writeFileSync(join(folder, 'assets/main-1a2b.js.gz'), gzipSync(script))
  return folder
}

async function startDashboard(
  t: TestContext,
  folder: string,
  admits: (address: string) => boolean = () => true,
  takesCards = false,
): Promise<{ readonly url: string; readonly port: number }> {
  const none = textAnswer(501, 'not of this test')
  const settings = { hosts: ['cairn.example'], admits }
  const admin = createAdminApi({
    api: ({ request, response }) => sendAnswer(request, response, none),
    openApi: () => '{}',
    openRpc: () => '{}',
    dashboard: createDashboardHandler({
      files: readBuiltFiles(folder),
      settings,
      takesCards: () => takesCards,
    }),
  })
  const failures: unknown[] = []
  t.after(() => deepEqual(failures, []))
  const server = createServer({
    settings: defaultServerSettings,
    routes: createRoutes({
      rpc: () => {},
      files: ({ request, response }) => sendAnswer(request, response, none),
      paths: ({ request, response }) => sendAnswer(request, response, none),
      // As in the server: a response that was sent synchronously must not be sent again.
      admin: withMetrics(admin, ({ request, response }) => sendAnswer(request, response, none)),
      ready: () => true,
      networks: () => ['dev'],
    }),
    clock: systemClock,
    log: (_level, event, members) => failures.push({ event, members }),
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.drain({ graceMs: 0, deadlineMs: 0 }))
  return { url: `http://127.0.0.1:${port}`, port }
}

test('every page path returns the same document, which is revalidated each time', async (t) => {
  const { url } = await startDashboard(t, builtFolder(t))
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/keys', '/dashboard/keys/key_1/']) {
    const response = await fetch(url + path)
    equal(await response.text(), page, path)
    equal(response.headers.get('cache-control'), 'no-cache')
    equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  }
})

test('a page may run and load its own assets, no page may frame it, and no other origin may read it', async (t) => {
  const { url } = await startDashboard(t, builtFolder(t))
  const { headers } = await fetch(`${url}/dashboard`, { headers: { origin: 'https://a.example' } })
  const policy = headers.get('content-security-policy') ?? ''
  const assets = `${new URL(url).host}/dashboard/assets/`
  ok(
    policy.startsWith(
      `default-src 'none'; script-src ${assets}; worker-src ${assets}; style-src ${assets}; `,
    ),
    policy,
  )
  ok(!policy.includes('unsafe-inline') && !policy.includes('unsafe-eval'))
  match(policy, /frame-ancestors 'none'/)
  // Previews may show bytes that the page has read, and load nothing from this or another origin.
  match(policy, /; media-src blob:; connect-src 'self'; frame-src blob:; /)
  equal(headers.get('x-content-type-options'), 'nosniff')
  equal(headers.get('referrer-policy'), 'no-referrer')
  equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  equal(headers.get('access-control-allow-origin'), null)
})

test('by an address of IPv6, which a policy can not name, a page runs what its origin sends', async (t) => {
  const { url } = await startDashboard(t, builtFolder(t))
  const port = Number(new URL(url).port)
  const text = await sendRaw(
    port,
    `GET /dashboard HTTP/1.1\r\nhost: [::1]:${port}\r\nconnection: close\r\n\r\n`,
  )
  match(text, /^HTTP\/1\.1 200 /)
  match(text, /script-src 'self'; worker-src 'self'; style-src 'self';/)
})

test('an asset is cached permanently, compressed as the browser accepts it, and not sent twice', async (t) => {
  const { url } = await startDashboard(t, builtFolder(t))
  const asset = `${url}/dashboard/assets/main-1a2b.js`
  const tags = new Set<string | null>()
  for (const encoding of ['br', 'gzip', null]) {
    const response = await fetch(asset, {
      headers: { 'accept-encoding': encoding ?? 'identity' },
    })
    equal(response.headers.get('content-encoding'), encoding)
    match(response.headers.get('cache-control') ?? '', /immutable/)
    equal(await response.text(), script)
    tags.add(response.headers.get('etag'))
  }
  equal(tags.size, 3)
  const refused = { 'accept-encoding': 'br;q=0, gzip;q=0.5' }
  equal((await fetch(asset, { headers: refused })).headers.get('content-encoding'), 'gzip')
  const etag = [...tags][2] ?? ''
  const headers = { 'if-none-match': etag, 'accept-encoding': 'identity' }
  equal((await fetch(asset, { headers })).status, 304)
  const head = await fetch(asset, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
  equal(head.headers.get('content-length'), String(script.length))
})

test('no path of a URL leads to another file', async (t) => {
  const { url, port } = await startDashboard(t, builtFolder(t))
  const paths = [
    '/dashboard/assets/../index.html',
    '/dashboard/../package.json',
    '/dashboard/assets/%2e%2e/index.html',
    '/dashboard//etc/passwd',
    '/dashboard/built-from.json',
    '/dashboard/assets/main-1a2b.js.br',
    '/dashboard/assets/other.js',
    '/dashboard/__proto__.js',
  ]
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
    match(await sendRaw(port, request), /^HTTP\/1.1 404 /, path)
  }
  const posted = await fetch(`${url}/dashboard`, { method: 'POST' })
  deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
})

test('a browser that requests / is redirected to the dashboard, other clients get the index', async (t) => {
  const { url } = await startDashboard(t, builtFolder(t))
  const headers = { accept: 'text/html,application/xhtml+xml' }
  const led = await fetch(url, { headers, redirect: 'manual' })
  deepEqual([led.status, led.headers.get('location')], [303, '/dashboard/'])
  match(await (await fetch(url)).text(), /\/v3\//)
})

test('a Host or an address that the API would refuse gets no page, and the error names the setting', async (t) => {
  const folder = builtFolder(t)
  const { port } = await startDashboard(t, folder)
  const request = (host: string) =>
    sendRaw(port, `GET /dashboard HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
  match(await request('rebound.example'), /^HTTP\/1.1 403 [^]*admin\.hosts/)
  match(await request('cairn.example'), /^HTTP\/1.1 200 /)
  const closed = await startDashboard(t, folder, () => false)
  equal((await fetch(`${closed.url}/dashboard`)).status, 403)
})

test('without a build the error names the command that builds the dashboard', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { url } = await startDashboard(t, folder)
  const response = await fetch(`${url}/dashboard/keys`)
  equal(response.status, 503)
  match(await response.text(), /npm run dashboard/)
})

test('the content policy allows Stripe only for the card form of a server that uses Stripe', async (t) => {
  const load = async (url: string, path: string) => {
    const response = await fetch(`${url}/dashboard${path}`)
    return [await response.text(), response.headers.get('content-security-policy') ?? ''] as const
  }
  const folder = builtFolder(t)
  const without = await startDashboard(t, folder)
  const taking = await startDashboard(t, folder, () => true, true)
  const [form, policy] = await load(taking.url, '/card/new')
  equal(form, cardPage)
  match(policy, /script-src \S+\/dashboard\/assets\/ https:\/\/js\.stripe\.com /)
  match(policy, /connect-src 'self' https:\/\/api\.stripe\.com;/)
  ok(!policy.includes('unsafe-inline') && !policy.includes('unsafe-eval'))
  for (const [url, path] of [
    [without.url, '/card/new'],
    [without.url, '/card'],
    [taking.url, '/card'],
    [taking.url, '/card/new/more'],
    [taking.url, '/card.html'],
  ] as const) {
    ok(!(await load(url, path))[1].includes('stripe'), path)
  }
})
