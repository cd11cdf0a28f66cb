// `/metrics` of a started server: access, promtool checks, and the metric names in the Grafana board and the alert rules.
// rules.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { alertRules } from '../docs/metrics-page.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { findNamingFaults, parseMetrics } from '../fakes/metrics-text.ts'
import { type Started, startCairn } from '../started-server.ts'

const token = 'a-token-of-this-test'
const deploy = new URL('../../deploy/', import.meta.url)
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

/** Waits until recent usage is written, which takes one second. */
async function scrapeUntil(name: string, labels: Readonly<Record<string, string>>, least: number) {
  for (;;) {
    const { text } = await scrape()
    const read = parseMetrics(text)
    if ((read.valueOf(name, labels) ?? 0) >= least) return { text, ...read }
  }
}

test('calls are counted by method name, without the key', { timeout: 300_000 }, async () => {
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

test('metric names follow the rules of Prometheus, including those of the process', async () => {
  const { text, headers } = await scrape()
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  assert.deepEqual(findNamingFaults(text), [])
  assert.match(text, /^process_resident_memory_bytes \d+$/m)
})

test('promtool accepts the metrics', withPromtool, async () => {
  const { text } = await scrape()
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text })
  assert.equal(`${stdout.toString()}${stderr.toString()}`, '')
  assert.equal(status, 0)
})

test('promtool accepts the alert rules, and they fire as their tests expect', withPromtool, () => {
  const cwd = new URL('prometheus/', deploy)
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd })
    assert.equal(status, 0, `${stdout.toString()}${stderr.toString()}`)
  }
})

test('the Grafana board and the alert rules name existing metrics', async () => {
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

test('remote access needs the token, and a page of another origin cannot read metrics', async () => {
  assert.equal((await scrape()).status, 200)
  const elsewhere = [
    { 'x-forwarded-for': '192.0.2.1' },
    { host: 'cairn.example.com' },
    { authorization: 'Bearer an-unknown-token' },
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

test('a personal token of an operator is accepted, one of a member is refused', async () => {
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

test('the endpoint does not exist if it is disabled', async () => {
  const other = await startCairn({ env: { CAIRN_METRICS_ENABLED: 'false' } })
  try {
    assert.equal((await fetch(`${other.url}/metrics`)).status, 404)
  } finally {
    await other.stop()
  }
})

test('the endpoint exists without the admin API', async () => {
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

test('without metrics.local a request from loopback needs a token too, because it may come through a proxy', async () => {
  const other = await startCairn()
  try {
    // Like a proxy that adds no header: from loopback, with the server's address as Host.
    const reply = await fetch(`${other.url}/metrics`)
    assert.equal(reply.status, 401)
    assert.match(await reply.text(), /metrics\.token/)
  } finally {
    await other.stop()
  }
})
