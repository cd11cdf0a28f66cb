// `/metrics` of a started server: who may read it, that promtool finds nothing wrong, that board and rules name what is.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { alertRules } from './docs/metrics-page.ts'
import { takeFirstRun } from './fakes/admin-client.ts'
import { findNamingFaults, parseMetrics } from './fakes/metrics-text.ts'
import { type Started, startCairn } from './started-server.ts'

const token = 'a-token-of-this-test'
const deploy = new URL('../deploy/', import.meta.url)
const promtool = process.env['CAIRN_PROMTOOL'] ?? 'promtool'
const hasPromtool = spawnSync(promtool, ['--version']).status === 0
const withPromtool = hasPromtool
  ? {}
  : { skip: 'promtool is not here (Debian: prometheus); CAIRN_PROMTOOL says where' }

let cairn: Started
before(async () => {
  cairn = await startCairn({ env: { CAIRN_METRICS_TOKEN: token, CAIRN_METRICS_LOCAL: 'true' } })
})
after(() => cairn.stop())

function scrape(
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(`${cairn.url}/metrics`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      )
    })
    sending.on('error', reject)
    sending.end()
  })
}

/** Until what was just used is written, which takes a second. */
async function scrapeUntil(name: string, labels: Readonly<Record<string, string>>, least: number) {
  for (;;) {
    const { text } = await scrape()
    const read = parseMetrics(text)
    if ((read.valueOf(name, labels) ?? 0) >= least) return { text, ...read }
  }
}

test('what was called is counted by its name, without the key', { timeout: 120_000 }, async () => {
  await cairn.rpc('eth_chainId')
  await cairn.rpc('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
  await cairn.rpc('made_up_by_a_caller')
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  await fetch(`${cairn.url}/api/v0/version`, { method: 'POST', headers: { authorization } })
  const rpc = { face: 'rpc', network: 'dev', outcome: 'ok' }
  const files = { face: 'files', network: 'none', method: 'version', outcome: 'ok' }
  const { text, valueOf } = await scrapeUntil('cairn_requests_total', files, 1)
  assert.equal(valueOf('cairn_requests_total', { ...rpc, method: 'eth_chainId' }), 1)
  assert.equal(valueOf('cairn_requests_total', { ...rpc, method: 'eth_getBalance' }), 1)
  assert.ok((valueOf('cairn_answers_total', { verified: 'proof' }) ?? 0) >= 1)
  assert.equal(valueOf('cairn_network_head_number', { network: 'dev' }), 0)
  assert.equal(valueOf('cairn_store_writable', {}), 1)
  assert.ok((valueOf('cairn_connections', { listener: 'faces' }) ?? 0) >= 1)
  assert.doesNotMatch(text, /made_up_by_a_caller/)
  assert.equal(text.includes(cairn.apiKey), false)
})

test('names keep the rules of Prometheus, those of the process too', async () => {
  const { text, headers } = await scrape()
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  assert.deepEqual(findNamingFaults(text), [])
  assert.match(text, /^process_resident_memory_bytes \d+$/m)
})

test('promtool finds nothing wrong with the metrics', withPromtool, async () => {
  const { text } = await scrape()
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text })
  assert.equal(`${stdout.toString()}${stderr.toString()}`, '')
  assert.equal(status, 0)
})

test('promtool takes the alert rules, and they fire as their tests say', withPromtool, () => {
  const cwd = new URL('prometheus/', deploy)
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd })
    assert.equal(status, 0, `${stdout.toString()}${stderr.toString()}`)
  }
})

test('the board and the rules name metrics that there are', async () => {
  const { text } = await scrape()
  const { types } = parseMetrics(text)
  const board = JSON.parse(readFileSync(new URL('grafana/cairn.json', deploy), 'utf8')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[]
  }
  const panels = board.panels.filter(({ type }) => type !== 'row')
  assert.ok(panels.length <= 24, `${panels.length} panels`)
  assert.equal(board.panels.length - panels.length, 4)
  const expressions = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...alertRules().map(({ expr }) => expr),
  ]
  const named = expressions.flatMap((expr) =>
    [...expr.matchAll(/\b(?:cairn|nodejs|process)_\w+/g)].map(([name]) => name),
  )
  assert.ok(named.length > 30)
  const missing = named.filter((name) => !types.has(name.replace(/_(bucket|sum|count)$/, '')))
  assert.deepEqual(missing, [])
})

test('from elsewhere it takes the token; a page of another origin reads nothing', async () => {
  assert.equal((await scrape()).status, 200)
  const elsewhere = [
    { 'x-forwarded-for': '192.0.2.1' },
    { host: 'cairn.example.com' },
    { authorization: 'Bearer a-token-of-nobody-here' },
  ]
  for (const headers of elsewhere) {
    const { status, text, headers: answered } = await scrape(headers)
    assert.equal(status, 401, JSON.stringify(headers))
    assert.match(text, /"code":"signed_out"/)
    assert.equal(answered['access-control-allow-origin'], undefined)
  }
  const authorization = `Bearer ${token}`
  const known = await scrape({ 'x-forwarded-for': '192.0.2.1', authorization })
  assert.equal(known.status, 200)
  assert.equal(known.headers['access-control-allow-origin'], undefined)
  assert.equal((await scrape({}, 'POST')).status, 405)
  assert.equal((await scrape({}, 'HEAD')).text, '')
})

test("an operator's own token opens it, a member's does not", async () => {
  const page = await takeFirstRun(cairn)
  const make = async (role: string): Promise<string> => {
    const made = await page.ask('POST', '/me/tokens', { name: role, role, expires: null })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return String(made.body['text'])
  }
  const elsewhere = { 'x-forwarded-for': '192.0.2.1' }
  const scrapeWith = async (token: string) =>
    (await scrape({ ...elsewhere, authorization: `Bearer ${token}` })).status
  assert.equal(await scrapeWith(await make('operator')), 200)
  assert.equal(await scrapeWith(await make('member')), 403)
  const { valueOf } = parseMetrics((await scrape()).text)
  assert.equal(valueOf('cairn_sessions', {}), 1)
})

test('switched off, it is not there', async () => {
  const other = await startCairn({ env: { CAIRN_METRICS_ENABLED: 'false' } })
  try {
    assert.equal((await fetch(`${other.url}/metrics`)).status, 404)
  } finally {
    await other.stop()
  }
})

test('it is there without the admin side too', async () => {
  const other = await startCairn({
    env: { CAIRN_ADMIN_ENABLED: 'false', CAIRN_METRICS_LOCAL: 'true' },
  })
  try {
    assert.equal((await fetch(`${other.url}/metrics`)).status, 200)
    assert.equal((await fetch(`${other.url}/openapi.json`)).status, 404)
  } finally {
    await other.stop()
  }
})

test('without metrics.local a request from loopback needs a token too: it may come through a proxy', async () => {
  const other = await startCairn()
  try {
    // As a proxy asks that adds no header: from loopback, by the address it was given.
    const reply = await fetch(`${other.url}/metrics`)
    assert.equal(reply.status, 401)
    assert.match(await reply.text(), /metrics\.token/)
  } finally {
    await other.stop()
  }
})
