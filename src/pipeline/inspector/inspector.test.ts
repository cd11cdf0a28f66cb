import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import type { Caller } from '../../access/accounts/caller.ts'
import {
  defaultAccountSettings,
  defaultKeySettings,
  type KeySettings,
} from '../../access/accounts/key-settings.ts'
import { Fault } from '../../base/fault.ts'
import type { RpcItem, RpcOutcome } from '../../rpc/rpc-pipeline.ts'
import type { Arrival } from './inspection.ts'
import { sizeOf } from './inspected-request.ts'
import { createInspector, defaultInspectorLimits, type InspectorLimits } from './inspector.ts'

const key = 'opaque-key-0001'
const inspected: KeySettings = { ...defaultKeySettings, inspect: true }
const withBodies: KeySettings = { ...inspected, inspectBodies: true }

function textOf(text: string): RpcOutcome {
  return { text, bytes: Buffer.byteLength(text) }
}

function rig(settings: KeySettings = withBodies, limits: Partial<InspectorLimits> = {}) {
  const clock = createManualClock()
  const state: { settings: KeySettings | null } = { settings }
  const inspector = createInspector({
    settingsOf: () => state.settings,
    clock,
    limits: { ...defaultInspectorLimits, ...limits },
  })
  const callerOf = (keyId: string): Caller => ({
    accountId: 'a',
    accountName: 'first',
    keyId,
    hasCard: false,
    settings,
    quotas: defaultAccountSettings,
    withSecret: false,
    allowlists: null,
  })
  function begin(keyId = 'k', more: Partial<Arrival> = {}) {
    return inspector.begin(callerOf(keyId), {
      face: 'rpc',
      transport: 'http',
      network: 'dev',
      arrived: clock.monotonic(),
      credential: {
        key,
        secret: 'opaque-secret',
        address: '192.0.2.7',
        userAgent: 'curl/8',
        requestId: 'Request-1',
      },
      ...more,
    })
  }
  const labels = {
    verified: 'proof',
    head: 'embedded',
    block: new Uint8Array(32).fill(1),
    blockNumber: 7n,
    units: 80,
  }
  function record(item: Partial<RpcItem> = {}, outcome: RpcOutcome = textOf('"0x1"'), keyId = 'k') {
    const inspection = begin(keyId)
    inspection.recordCalls([{ method: 'eth_getBalance', params: ['0x2'], ...item }], false)
    inspection.answers([{ units: 80 }], [outcome], labels)
    const fault = 'fault' in outcome ? outcome.fault : null
    inspection.end({ fault, status: fault?.row.status ?? 200, bytesIn: 60, bytesOut: 40 })
  }
  /** With a store in memory, `list` returns no promise. */
  function list(...args: Parameters<typeof inspector.list>) {
    const found = inspector.list(...args)
    ok(!(found instanceof Promise))
    return found
  }
  return { clock, state, inspector, list, begin, record, labels }
}

test('a request is recorded with its outcome, the newest first', () => {
  const { list, inspector, record, clock } = rig()
  record()
  clock.advance(5)
  const refusal = new Fault('refused_by_setting', { data: { reason: 'address' } })
  record({ method: 'eth_call' }, { fault: refusal })
  const [second, first] = list('k', {}, 10)
  ok(first && second && second.id > first.id)
  deepEqual(
    [first.method, first.outcome, first.status, first.units, first.verified, first.block?.number],
    ['eth_getBalance', 'ok', 200, 80, 'proof', '0x7'],
  )
  deepEqual([second.outcome, second.reason, second.status], ['refused_by_setting', 'address', 403])
  equal(second.calls[0]?.units, 0)
  deepEqual(first.calls[0]?.params, { text: '["0x2"]', bytes: 7, cut: false })
  deepEqual(first.calls[0]?.result, { text: '"0x1"', bytes: 5, cut: false })
  equal(first.userAgent, 'curl/8')
  equal(first.address, null)
  deepEqual(inspector.find('k', first.id), first)
  equal(inspector.find('other', first.id), null)
})

test('without bodies only their sizes are recorded', () => {
  const { list, record } = rig(inspected)
  record({ params: ['very private'] }, { fault: new Fault('reverted', { detail: 'very private' }) })
  const [request] = list('k', {}, 10)
  ok(!JSON.stringify(request).includes('private'))
  deepEqual(request?.calls[0]?.params, { text: null, bytes: 16, cut: false })
})

test('no credential of the request is recorded, in any member', () => {
  const { list, begin, labels } = rig()
  const everywhere = `${key} opaque-secret`
  const inspection = begin('k', {
    credential: { key, secret: 'opaque-secret', origin: everywhere, userAgent: everywhere },
  })
  inspection.recordCalls([{ method: everywhere, params: [everywhere] }], false)
  inspection.answers([{ units: 1 }], [{ result: everywhere }], labels)
  inspection.end({ fault: null, status: 200, bytesIn: 1, bytesOut: 1 })
  const text = JSON.stringify(list('k', {}, 10))
  ok(!text.includes('opaque'), text)
  equal(text.split('[redacted]').length - 1, 12)
})

test('stages are consecutive; the time of reads lies inside them, summed', () => {
  const { list, begin, labels, clock } = rig()
  const inspection = begin()
  clock.advance(1)
  inspection.timeline.reached('auth')
  inspection.recordCalls([{ method: 'eth_getBalance', params: [] }], false)
  const looks = [1, 2].map(() => inspection.watch('store', ''))
  for (const end of looks) end('held')
  inspection.watch('store', '')('absent')
  const first = inspection.watch('source', 'node-a')
  clock.advance(3)
  first('trouble')
  first('answered')
  const second = inspection.watch('source', 'node-b')
  clock.advance(4)
  second('answered')
  inspection.watch('source', 'node-c')
  inspection.answers([{ units: 80 }], [textOf('1')], labels)
  inspection.timeline.reached('run')
  inspection.end({ fault: null, status: 200, bytesIn: 1, bytesOut: 1 })
  const [request] = list('k', {}, 10)
  deepEqual(
    request?.timeline.map(({ step, name, startMs, ms, count, outcome }) =>
      [step, name, startMs, ms, count, outcome].join(' ').replaceAll('  ', ' '),
    ),
    [
      'auth 0 1 1 ok',
      'store 1 0 2 held',
      'store 1 0 1 absent',
      'source node-a 1 3 1 trouble',
      'run 1 7 1 ok',
      'source node-b 4 4 1 answered',
      'source node-c 8 0 1 open',
    ],
  )
  deepEqual(request?.upstreams, ['node-a', 'node-b', 'node-c'])
  equal(request?.ms, 8)
})

test('requests are found by method, outcome, network, time and id', () => {
  const { list, record, begin, labels, clock } = rig()
  record()
  record({ method: 'eth_call' }, { fault: new Fault('reverted') })
  const batch = begin()
  clock.advance(20)
  const items = [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_call', params: [] },
  ]
  batch.recordCalls(items, true)
  batch.answers([{ units: 5 }, { units: 80 }], [textOf('1'), textOf('2')], labels)
  batch.end({ fault: null, status: 200, bytesIn: 1, bytesOut: 1 })
  const methods = (filter: Parameters<typeof list>[1]) =>
    list('k', filter, 10).map(({ method }) => method)
  deepEqual(methods({ method: 'eth_call' }), ['batch', 'eth_call'])
  deepEqual(methods({ outcome: 'failed' }), ['eth_call'])
  deepEqual(methods({ outcome: 'reverted' }), ['eth_call'])
  deepEqual(methods({ class: 'caller' }), ['eth_call'])
  deepEqual(methods({ class: 'failed' }), [])
  deepEqual(methods({ text: 'GETBAL' }), methods({ method: 'eth_getBalance' }))
  deepEqual(methods({ text: 'revert' }), ['eth_call'])
  deepEqual(methods({ text: 'nothing of this kind' }), [])
  deepEqual(methods({ text: 'request-1' }), ['batch', 'eth_call', 'eth_getBalance'])
  deepEqual(methods({ text: 'request' }), [])
  deepEqual(methods({ requestId: 'Request-1' }), ['batch', 'eth_call', 'eth_getBalance'])
  deepEqual(methods({ requestId: 'request-1' }), [])
  deepEqual(methods({ outcome: 'ok' }), ['batch', 'eth_getBalance'])
  deepEqual(methods({ msMin: 20 }), ['batch'])
  deepEqual(methods({ network: 'other' }), [])
  const [, second] = list('k', {}, 10)
  deepEqual(methods({ after: second?.id }), ['batch'])
})

test('ten thousand requests of many keys respect the limits per key and in total', () => {
  const { list, inspector, record, begin, labels } = rig(withBodies, { bytesMax: 4 * 1024 * 1024 })
  const long = 'x'.repeat(30_000)
  for (let at = 0; at < 10_000; at++) {
    record({ params: at % 10 === 0 ? [long] : [at] }, textOf(JSON.stringify(at)), `k${at % 40}`)
    ok(inspector.bytes <= 4 * 1024 * 1024)
  }
  const all = Array.from({ length: 40 }, (_, at) => list(`k${at}`, {}, 1_000)).flat()
  ok(all.length > 500, `${all.length}`)
  equal(
    all.reduce((sum, request) => sum + sizeOf(request), 0),
    inspector.bytes,
  )
  for (let at = 0; at < 500; at++) record({}, textOf('1'), 'one')
  equal(list('one', {}, 1_000).length, 200)
  const largest = begin('one', {
    credential: { key, secret: null, origin: long, userAgent: long },
  })
  largest.recordCalls(
    Array.from({ length: 1_000 }, () => ({ method: long, params: [long] })),
    true,
  )
  for (let at = 0; at < 1_000; at++) largest.watch('source', long)
  largest.answers([], [textOf(long)], labels)
  largest.end({ fault: null, status: 200, bytesIn: 1, bytesOut: 1 })
  const [request] = list('one', {}, 1)
  ok(request && sizeOf(request) <= 65_536, `${request && sizeOf(request)}`)
  equal(request.calls.length, 32)
  equal(request.batch, 1_000)
  equal(request.stepsLeft, 1_000 - 48)
})

test('requests are forgotten within a second after the owner turns inspection off, and when the key is revoked', () => {
  const { list, inspector, record, state, clock } = rig({ ...withBodies, inspectAddresses: true })
  record({ params: ['private'] })
  const recorded = () => JSON.stringify(list('k', {}, 10))
  ok(recorded().includes('private') && recorded().includes('192.0.2.7'))
  state.settings = { ...inspected, inspectAddresses: true }
  ok(!recorded().includes('private') && recorded().includes('192.0.2.7'))
  state.settings = inspected
  ok(!recorded().includes('192.0.2.7'))
  equal(list('k', {}, 10).length, 1)
  state.settings = null
  clock.advance(1_000)
  equal(inspector.bytes, 0)
  equal(clock.timers, 0)
  record()
  equal(inspector.bytes, 0)
})

test('listeners receive each request of their key, are limited, and unsubscribe once', () => {
  const { inspector, record } = rig(withBodies, { listenersPerKeyMax: 2, listenersMax: 3 })
  const received: string[] = []
  const stop = inspector.listen('k', ({ method }) => void received.push(method))
  inspector.listen('k', () => {})
  throws(() => inspector.listen('k', () => {}), { code: 'overloaded' })
  inspector.listen('other', () => {})
  throws(() => inspector.listen('third', () => {}), { code: 'overloaded' })
  record()
  record({}, textOf('1'), 'other')
  stop()
  stop()
  record()
  deepEqual(received, ['eth_getBalance'])
  inspector.listen('k', () => {})
  inspector.stop()
  equal(inspector.bytes, 0)
})
