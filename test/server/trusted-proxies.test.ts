// A started server behind a trusted proxy: every entry point uses the client address from the proxy's header, and ignores this
// header from other peers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import test, { type TestContext } from 'node:test'
import WebSocket from 'ws'
import { startCairn, type Started } from '../started-server.ts'

const caller = '198.51.100.7'
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })

async function start(t: TestContext, env: Record<string, string>) {
  const cairn = await startCairn({ env })
  t.after(() => cairn.stop())
  const { apiKey, apiKeySecret } = (await cairn.cli(
    'keys',
    'create',
    '--allow-ip',
    caller,
    '--json',
  )) as { apiKey: string; apiKeySecret: string }
  return { cairn, apiKey, basic: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}

/** Status of a call at each entry point. */
async function statuses(
  { cairn, apiKey, basic }: { cairn: Started; apiKey: string; basic: string },
  forwardedFor: string,
) {
  const headers = { 'x-forwarded-for': forwardedFor }
  const json = { ...headers, 'content-type': 'application/json' }
  const rpc = await fetch(`${cairn.url}/v3/${apiKey}`, { method: 'POST', headers: json, body })
  // node:http serves a chunked body.
  const chunked = await fetch(`${cairn.url}/v3/${apiKey}`, {
    method: 'POST',
    headers: json,
    body: new Blob([body]).stream(),
    duplex: 'half',
  })
  const files = await fetch(`${cairn.url}/api/v0/version`, {
    method: 'POST',
    headers: { ...headers, authorization: basic },
  })
  const socket = new WebSocket(`${cairn.url.replace('http', 'ws')}/ws/v3/${apiKey}`, { headers })
  const opened = await new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.once('error', () => resolve(0))
  })
  if (opened === 101) {
    socket.close()
    await once(socket, 'close')
  }
  await Promise.all([rpc, chunked, files].map((response) => response.text()))
  return [rpc.status, chunked.status, files.status, opened]
}

test('behind a trusted proxy an address allowlist applies to the client, at every entry point', async (t) => {
  const env = { CAIRN_HTTP_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8' }
  const rig = await start(t, env)
  assert.deepEqual(await statuses(rig, caller), [200, 200, 200, 101])
  assert.deepEqual(await statuses(rig, `${caller}, 10.1.2.3`), [200, 200, 200, 101])
  assert.deepEqual(await statuses(rig, `${caller}, 203.0.113.9`), [403, 403, 403, 403])
  assert.deepEqual(await statuses(rig, 'unknown'), [403, 403, 403, 403])
})

test('without a trusted proxy no client can change its address by a header', async (t) => {
  const rig = await start(t, { CAIRN_HTTP_TRUSTED_PROXIES: '10.0.0.0/8' })
  assert.deepEqual(await statuses(rig, caller), [403, 403, 403, 403])
})

test('wrong keys behind a trusted proxy are counted by client address', async (t) => {
  const env = { CAIRN_HTTP_TRUSTED_PROXIES: '127.0.0.1', CAIRN_HTTP_FAILED_KEYS_PER_MINUTE: '5' }
  const { cairn } = await start(t, env)
  const guess = async (forwardedFor: string) => {
    const response = await fetch(`${cairn.url}/v3/${'0'.repeat(32)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
      body,
    })
    await response.text()
    return response.status
  }
  const one: number[] = []
  for (let tries = 0; tries < 8; tries++) one.push(await guess('203.0.113.1'))
  assert.equal(one[0], 401)
  assert.equal(one.at(-1), 429)
  assert.equal(await guess('203.0.113.2'), 401)
})

test('an invalid proxy list is refused by name', async () => {
  await assert.rejects(
    startCairn({ env: { CAIRN_HTTP_TRUSTED_PROXIES: '10.0.0.0/33' } }),
    /CAIRN_HTTP_TRUSTED_PROXIES|http\.trustedProxies/,
  )
})
