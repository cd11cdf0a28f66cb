// OpenTelemetry traces of a started server, received by a collector over OTLP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import WebSocket from 'ws'
import { startBehind } from '../behind-upstreams.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../fakes/otlp-receiver.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const to = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
})

const call = (method: string, params: readonly unknown[] = []) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const own = { 'content-type': 'application/json', ...headers }
  return fetch(url, { method: 'POST', headers: own, body: JSON.stringify(body) })
}

function withId(id: string) {
  return (span: ReceivedSpan) => span.attributes['cairn.request_id'] === id
}

/** Names of the spans below `parent`, ordered by start. */
function below({ spans }: OtlpReceiver, parent: ReceivedSpan): readonly string[] {
  return spans
    .filter(
      ({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId,
    )
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    .map(({ name }) => name)
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('each API makes a span with its stages below, and no span contains a key, a secret, a path or a parameter', async (t) => {
  const collector = await startOtlpReceiver(t)
  const server = await startCairn({ env: { ...to(collector.url), CAIRN_CARD_ADAPTER: 'none' } })
  t.after(() => server.stop())
  const { url, apiKey, apiKeySecret } = server
  const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  const basic = { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }

  await post(`${url}/v3/${apiKey}`, call('eth_getStorageAt', [address, '0x0', 'latest']), {
    'x-request-id': 'slot',
    traceparent,
  })
  const slot = await collector.span(withId('slot'))
  assert.equal(slot.name, 'eth_getStorageAt')
  assert.equal(slot.kind, 2)
  assert.equal(slot.traceId, traceId, 'the trace of the client continues')
  assert.equal(slot.parentSpanId, 'b7ad6b7169203331')
  assert.equal(slot.attributes['rpc.system.name'], 'jsonrpc')
  assert.equal(slot.attributes['rpc.method'], 'eth_getStorageAt')
  assert.equal(slot.attributes['cairn.network'], 'dev')
  assert.equal(slot.attributes['cairn.verified'], 'proof')
  assert.equal(slot.attributes['cairn.outcome'], 'ok')
  assert.equal(Number(slot.attributes['http.response.status_code']), 200)
  const run = await collector.span((span) => span.name === 'run' && span.traceId === traceId)
  assert.deepEqual(below(collector, slot), [
    'authenticate',
    'read body',
    'parse',
    'admit',
    'run',
    'send reply',
  ])
  assert.ok(below(collector, run).includes('read store'))

  await post(`${url}/v3/${apiKey}`, [call('eth_chainId'), call('made_up')], {
    'x-request-id': 'batch',
  })
  const batch = await collector.span(withId('batch'))
  assert.equal(batch.name, 'batch')
  assert.equal(Number(batch.attributes['cairn.calls']), 2)
  assert.equal(batch.attributes['error.type'], 'no_method')
  assert.deepEqual(batch.status, { code: 0 }, 'a mistake of the client is no error of the server')

  await post(`${url}/v3/a-wrong-key`, call('eth_chainId'), { 'x-request-id': 'wrong' })
  assert.equal((await collector.span(withId('wrong'))).attributes['cairn.outcome'], 'bad_key')

  const form = new FormData()
  form.set('file', new Blob(['hello\n']), 'secret-name.txt')
  const added = await fetch(`${url}/api/v0/add`, {
    method: 'POST',
    headers: { ...basic, 'x-request-id': 'add' },
    body: form,
  })
  const { Hash: cid } = (await added.json()) as { Hash: string }
  const add = await collector.span(withId('add'))
  assert.equal(add.name, 'ipfs add')
  assert.deepEqual(below(collector, add).slice(0, 3), ['authenticate', 'parse', 'admit'])

  const raw = await fetch(`${url}/ipfs/${cid}?format=raw`, {
    headers: { ...basic, 'x-request-id': 'raw' },
  })
  await raw.arrayBuffer()
  const content = await collector.span(withId('raw'))
  assert.equal(content.name, 'gateway ipfs/raw')
  assert.deepEqual(below(collector, content), ['authenticate', 'run', 'send reply'])

  const admin = await takeFirstRun(server)
  await admin.ask('GET', '/me')
  const me = await collector.span(({ name }) => name === 'admin whoAmI')
  assert.deepEqual(below(collector, me), ['authenticate', 'run'])

  for (const secret of [apiKey, apiKeySecret, cid, address, 'secret-name', 'wrong-key']) {
    assert.equal(collector.text().includes(secret), false, secret)
  }
})

test('the queries of upstreams and the checks of their replies are spans below the run', async (t) => {
  const collector = await startOtlpReceiver(t)
  const chain = await openStubChain()
  const upstream = await startStubUpstream(t, chain)
  const behind = await startBehind(
    t,
    [{ url: `${upstream.url}/key-in-the-url`, name: 'node-a' }],
    { chainId: Number(chain.chainId), verify: 'require' },
    {},
    to(collector.url),
  )
  const { level } = await behind.ask('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
  assert.equal(level, 'proof')
  const balance = await collector.span(({ name }) => name === 'eth_getBalance')
  const run = await collector.span(
    ({ name, parentSpanId }) => name === 'run' && parentSpanId === balance.spanId,
  )
  const names = below(collector, run)
  assert.ok(names.includes('query upstream') && names.includes('verify'), names.join())
  const query = await collector.span(
    ({ name, parentSpanId }) => name === 'query upstream' && parentSpanId === run.spanId,
  )
  assert.equal(query.kind, 3)
  assert.equal(query.attributes['cairn.upstream'], 'node-a')
  assert.equal(collector.text().includes('key-in-the-url'), false)
})

test('the command line is not exported, and a stop loses no span', async (t) => {
  const collector = await startOtlpReceiver(t)
  const server = await startCairn({
    args: ['--host', '127.0.0.1'],
    // Every detector of the SDK, and a batch that is sent only at the stop.
    env: {
      ...to(collector.url),
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_NODE_RESOURCE_DETECTORS: 'all',
    },
  })
  t.after(() => server.stop())
  await server.rpc('eth_chainId')
  assert.equal(collector.spans.length, 0)
  await server.stop()
  assert.ok(collector.spans.some(({ name }) => name === 'eth_chainId'))
  assert.match(collector.text(), /"service\.name","value":\{"stringValue":"cairn"/)
  assert.doesNotMatch(collector.text(), /command_args|--host/)
})

test('without a collector requests are answered, and the server stops', async (t) => {
  const server = await startCairn({ env: to('http://127.0.0.1:1') })
  t.after(() => server.stop())
  for (let number = 0; number < 50; number++) {
    assert.equal((await server.rpc('eth_chainId')).result, '0x539')
  }
  assert.equal(await server.stop(), 0)
})

/** Fails to load modules that match `pattern`, as if they were not installed. */
async function withoutModule(t: { after: (done: () => Promise<void>) => void }, pattern: string) {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'without.mjs')
  await writeFile(
    file,
    `import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    if (!${pattern}.test(name)) return next(name, context)
    throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
`,
  )
  return ['--import', file]
}

/** Stops the server; resolves with its whole log. */
async function logOf(server: Started): Promise<string> {
  const closed = once(server.child, 'close')
  await server.stop()
  await closed
  return server.log()
}

test('a tracer that throws fails no request, and repeated errors are one line', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'tracer.mjs')
  await writeFile(
    file,
    `import { trace } from '${import.meta.resolve('@opentelemetry/api')}'
trace.setGlobalTracerProvider({
  getTracer: () => ({ startSpan() { throw new Error('the sampler failed') } }),
})
`,
  )
  const nodeArgs = ['--import', file]
  const server = await startCairn({ nodeArgs, env: to('http://127.0.0.1:1') })
  t.after(() => server.stop())
  assert.equal((await server.rpc('eth_chainId')).result, '0x539')
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/v3/${server.apiKey}`)
  await once(socket, 'open')
  socket.send(JSON.stringify(call('eth_chainId')))
  const [frame] = (await once(socket, 'message')) as [Buffer]
  assert.equal((JSON.parse(frame.toString()) as { result?: unknown }).result, '0x539')
  socket.close()
  const log = await logOf(server)
  assert.equal(log.split('the sampler failed').length, 2, log)
  assert.match(log, /"trace_export_failed".*the sampler failed/)
})

test('an exporter that the SDK does not know is named, and none alone asks for nothing', async () => {
  const unknown = await startCairn({ env: { OTEL_TRACES_EXPORTER: 'oltp' } })
  assert.equal((await unknown.rpc('eth_chainId')).result, '0x539')
  assert.match(await logOf(unknown), /"traces_not_exported".*OTEL_TRACES_EXPORTER is oltp/)
  const none = await startCairn({
    env: { ...to('http://127.0.0.1:1'), OTEL_TRACES_EXPORTER: ' none ' },
  })
  assert.doesNotMatch(await logOf(none), /traces|trace_/)
})

test('without the SDK the server starts, and its log says what to install', async (t) => {
  const nodeArgs = await withoutModule(t, '/^@opentelemetry\\/sdk-node$/')
  const server = await startCairn({ nodeArgs, env: to('http://127.0.0.1:1') })
  t.after(() => server.stop())
  assert.equal((await server.rpc('eth_chainId')).result, '0x539')
  const closed = once(server.child, 'close')
  await server.stop()
  await closed
  assert.match(server.log(), /"traces_not_exported".*npm install @opentelemetry\/sdk-node/)
})

test('without the variables no SDK is loaded', async (t) => {
  const nodeArgs = await withoutModule(t, '/^@opentelemetry\\/(?!api$)/')
  for (const env of [{}, { ...to('http://127.0.0.1:1'), OTEL_SDK_DISABLED: 'true' }]) {
    const server = await startCairn({ nodeArgs, env })
    t.after(() => server.stop())
    assert.equal((await server.rpc('eth_chainId')).result, '0x539')
    const closed = once(server.child, 'close')
    await server.stop()
    await closed
    assert.doesNotMatch(server.log(), /traces/)
  }
})
