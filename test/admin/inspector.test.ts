// The request inspector from the wire to the admin operations: the records that the key's owner sees.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Principal } from '../../src/admin/principal.ts'
import type { AdminCall } from '../../src/admin/admin-operation.ts'
import { adminOperations } from '../../src/admin/index.ts'
import { runAdmin } from '../../src/admin/run-admin.ts'
import type { InspectedRequest } from '../../src/pipeline/inspector/inspected-request.ts'
import { openDesk } from '../fakes/people/admin-desk.ts'
import { inspectedKey, inspectedSecret, openInspectedGateway } from '../fakes/inspected-gateway.ts'
import { startRpcServer } from '../fakes/rpc-server.ts'

const member: Principal = {
  kind: 'person',
  personId: 'p',
  email: 'p@example.com',
  operator: false,
  roles: new Map([['a', 'member']]),
  via: { kind: 'session', id: 's' },
}
const params = { account: 'a', key: 'k' }

async function rig(t: Pick<TestContext, 'after'>) {
  const opened = openInspectedGateway(systemClock)
  const { identity } = openDesk()
  const gateway = Object.assign(opened.gateway, { refused: [], ran: 0 })
  const server = await startRpcServer({ gateway, inspector: opened.inspector })
  t.after(() => server.stop())
  const leaving = new AbortController()
  t.after(() => leaving.abort())

  async function reply(
    id: string,
    sent: Readonly<Record<string, unknown>>,
    actor: Principal = member,
  ) {
    const operation = adminOperations.find((one) => one.id === id)
    if (operation === undefined) throw new Error(`no operation ${id}`)
    const keys = [{ id: params.key, settings: opened.settings }]
    const call = {
      inspecting: opened,
      accounts: { keyPage: async () => ({ keys, next: null, found: 1 }) },
      identity,
      clock: systemClock,
      actor,
      signal: leaving.signal,
    }
    return await runAdmin(operation, sent, call as unknown as AdminCall)
  }
  async function admin<Value>(id: string, sent: Readonly<Record<string, unknown>> = params) {
    const reported = await reply(id, sent)
    ok(reported.form === 'json')
    return reported.value as Value
  }
  const list = async (filter: Readonly<Record<string, unknown>> = {}) =>
    (await admin<{ requests: InspectedRequest[] }>('listRequests', { ...params, ...filter }))
      .requests

  async function post(body: string, headers: Record<string, string> = {}, key = inspectedKey) {
    const url = `${server.url}/v3/${key}`
    const sent = { 'content-type': 'application/json', ...headers }
    return await fetch(url, { method: 'POST', headers: sent, body })
  }
  const ask = (method: string, params: readonly unknown[] = [], headers = {}) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)
  return { opened, server, reply, admin, list, post, ask }
}

test('a call over HTTP is recorded with its stages', async (t) => {
  const { ask, list, admin } = await rig(t)
  const response = await ask('eth_getBalance', ['0x1'], {
    'user-agent': 'test/1',
    origin: 'https://app.example',
  })
  const length = Number(response.headers.get('content-length'))
  const [row] = await list()
  ok(row)
  deepEqual(
    [row.face, row.transport, row.network, row.method, row.outcome, row.status, row.units],
    ['rpc', 'http', 'dev', 'eth_getBalance', 'ok', 200, 80],
  )
  deepEqual([row.verified, row.block?.number, row.batch], ['proof', '0x9', null])
  deepEqual([row.userAgent, row.origin], ['test/1', 'https://app.example'])
  equal(row.bytesOut, length)
  equal(row.address, null)
  deepEqual(
    Object.keys(row).filter((name) => name === 'calls' || name === 'timeline'),
    [],
  )
  const whole = await admin<InspectedRequest>('getRequest', { ...params, request: `${row.id}` })
  equal(whole.calls[0]?.params.text, '["0x1"]')
  equal(whole.calls[0]?.result?.text, '{"nonce":"0x5","block":"latest"}')
  const stages = whole.timeline.map(({ step }) => step)
  deepEqual(stages, ['auth', 'body', 'parse', 'admit', 'run', 'reply'])
  const end = whole.timeline.reduce((latest, { startMs, ms }) => Math.max(latest, startMs + ms), 0)
  ok(end <= whole.ms + 0.01, `${end} ${whole.ms}`)
})

test('a key without inspection records nothing, and disabling inspection deletes the records', async (t) => {
  const { ask, list, opened } = await rig(t)
  await ask('eth_getBalance', ['0x1'])
  opened.settings = { ...opened.settings, inspect: false }
  deepEqual(await list(), [])
  await ask('eth_getBalance', ['0x1'])
  opened.settings = { ...opened.settings, inspect: true }
  deepEqual(await list(), [])
})

test('refusals are recorded with their reason: at the access check, of the body, of a call', async (t) => {
  const { ask, post, list, opened } = await rig(t)
  opened.settings = { ...opened.settings, networks: ['other'] }
  equal((await ask('eth_getBalance', ['0x1'])).status, 403)
  opened.settings = { ...opened.settings, networks: null }
  await post('{')
  await ask('eth_getBalance')
  await ask('no_such')
  const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_getBalance', params: [] }))
  await post(
    JSON.stringify([...batch, { jsonrpc: '2.0', id: 3, method: 'eth_getBalance', params: [1] }]),
  )
  const basic = Buffer.from(':wrong-secret').toString('base64')
  equal((await ask('eth_getBalance', [], { authorization: `Basic ${basic}` })).status, 401)
  const rows = (await list()).map((row) =>
    [row.method, row.outcome, row.errorCode, row.reason, row.status, row.failed, row.units].join(
      ' ',
    ),
  )
  deepEqual(rows.toReversed(), [
    ' refused_by_setting -32002 network 403 0 0',
    ' bad_json -32700  400 0 5',
    'eth_getBalance bad_params -32602  200 1 5',
    'no_such no_method -32601  200 1 5',
    'batch bad_params -32602  200 2 91',
    ' bad_secret -32600  401 0 0',
  ])
  equal((await list({ outcome: 'failed' })).length, 6)
  equal((await list({ method: 'eth_getBalance' })).length, 2)
})

test('secrets planted in every part of a request are in no inspection', async (t) => {
  const { opened, ask, post, list, admin } = await rig(t)
  opened.settings = { ...opened.settings, inspectAddresses: true }
  const token = `eyJhbGciOiJSUzI1NiJ9.eyJleHAiOjE5OTk5OTk5OTl9.${'plantedsignature'.repeat(4)}`
  const planted = [
    inspectedKey,
    inspectedSecret,
    `Bearer ${token}`,
    `https://me:hidden@node.example`,
  ]
  const basic = Buffer.from(`:${inspectedSecret}`).toString('base64')
  const headers = {
    authorization: `Basic ${basic}`,
    'user-agent': planted.join(' '),
    origin: `https://${inspectedKey}.example`,
  }
  await ask('eth_getBalance', [...planted, { basic: `Basic ${basic}` }], headers)
  await ask(`eth_${inspectedKey}_${inspectedSecret}`, planted, headers)
  await post(`{"secret":"${inspectedSecret}"`, headers)
  const rows = await list()
  equal(rows.length, 3)
  const all = await Promise.all(
    rows.map((row) => admin('getRequest', { ...params, request: `${row.id}` })),
  )
  const text = JSON.stringify(all)
  for (const secret of [inspectedKey, inspectedSecret, 'plantedsignature', 'hidden', basic]) {
    ok(!text.includes(secret), `${secret} in ${text}`)
  }
  ok(text.includes('127.0.0.1') || text.includes('::1'))
})

test('a WebSocket message is recorded as one request', async (t) => {
  const { server, list } = await rig(t)
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws/v3/${inspectedKey}`)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const replied = new Promise((resolve) =>
    socket.addEventListener('message', resolve, { once: true }),
  )
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['0x1'] }))
  await replied
  const [row] = await list()
  deepEqual(
    [row?.transport, row?.method, row?.outcome, row?.status, row?.units],
    ['websocket', 'eth_getBalance', 'ok', null, 80],
  )
  socket.close()
})

test('finished requests are sent to subscribers, filtered by outcome', async (t) => {
  const { reply, ask } = await rig(t)
  const reported = await reply('watchRequests', { ...params, outcome: 'failed' })
  ok(reported.form === 'events')
  const events = reported.events[Symbol.asyncIterator]()
  const first = events.next()
  await ask('eth_getBalance', ['0x1'])
  await ask('eth_getBalance')
  const { value } = (await first) as { value: InspectedRequest }
  equal(value.outcome, 'bad_params')
  ok(!('calls' in value))
  await events.return?.()
})

test('a read can be replayed over the API, and its records can be cleared', async (t) => {
  const { ask, list, admin } = await rig(t)
  await ask('eth_getBalance', ['0x1'])
  const [row] = await list()
  ok(row)
  const again = await admin<{ differences: unknown[]; verified: string; units: number }>(
    'replayRequest',
    { ...params, request: `${row.id}`, block: '0x5' },
  )
  deepEqual(again.differences, [{ at: '/block', before: 'latest', after: '0x5' }])
  deepEqual([again.verified, again.units], ['proof', 80])
  await admin('clearRequests')
  deepEqual(await list(), [])
  await rejects(admin('getRequest', { ...params, request: `${row.id}` }), { code: 'absent' })
})

test('requests of a key are invisible to other accounts', async (t) => {
  const { ask, reply } = await rig(t)
  await ask('eth_getBalance', ['0x1'])
  const stranger: Principal = { ...member, roles: new Map([['b', 'owner']]) }
  for (const id of ['listRequests', 'watchRequests', 'clearRequests']) {
    await rejects(reply(id, params, stranger), { code: 'absent' })
    await rejects(reply(id, { account: 'b', key: 'k' }, stranger), { code: 'absent' })
  }
})

test('after ten thousand requests over both transports, two hundred records remain', async (t) => {
  const { post, list, opened, server } = await rig(t)
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['x'.repeat(200)] }
  const body = JSON.stringify(call)
  for (let turn = 0; turn < 20; turn++) {
    await Promise.all(Array.from({ length: 50 }, async () => await (await post(body)).text()))
  }
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws/v3/${inspectedKey}`)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const { promise, resolve } = Promise.withResolvers<void>()
  let replies = 0
  socket.addEventListener('message', () => {
    replies++
    if (replies === 9_000) resolve()
  })
  for (let frame = 0; frame < 9_000; frame++) socket.send(body)
  await promise
  socket.close()
  equal((await list()).length, 200)
  ok(opened.inspector.bytes < 200 * 8_192, `${opened.inspector.bytes}`)
})

test('a request is found by the request ID of its reply, in all inspected keys of the account', async (t) => {
  const { ask, admin } = await rig(t)
  await ask('eth_getBalance', ['0x1'], { 'x-request-id': 'order-4711' })
  await ask('eth_getBalance', ['0x1'], { 'x-request-id': 'order-4711' })
  const generated = (await ask('eth_getBalance', ['0x1'])).headers.get('x-request-id')
  const find = async (requestId: string | null) =>
    (
      await admin<{ requests: (InspectedRequest & { key: string })[] }>('findRequests', {
        account: 'a',
        requestId,
      })
    ).requests
  const [newest, older] = await find('order-4711')
  ok(newest && older && newest.id > older.id)
  deepEqual([newest.key, newest.requestId, newest.method], ['k', 'order-4711', 'eth_getBalance'])
  equal((await find(generated)).length, 1)
  deepEqual(await find('order-471'), [])
})
