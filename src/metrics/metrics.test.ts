import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNamingFaults, parseMetrics } from '../../test/fakes/metrics-text.ts'
import { latencySteps, stepOf } from '../base/latency.ts'
import type { FlushedRow } from '../access/usage/usage-row.ts'
import { countUsage } from './count-usage.ts'
import { createCounters } from './counters.ts'
import { type MetricRow, metricTable } from './metric-table.ts'
import { observe, type Observed } from './observe.ts'
import { createMetrics } from './registry.ts'

const row = (part: Partial<FlushedRow>): FlushedRow => ({
  minute: 0,
  keyId: 'key-1',
  accountId: 'account-1',
  face: 'rpc',
  network: 'dev',
  method: 'eth_chainId',
  verified: '',
  outcome: 'ok',
  reason: '',
  status: 200,
  requests: 1,
  units: 5,
  bytesIn: 10,
  bytesOut: 20,
  latency: null,
  ...part,
})

function durations(...allMs: readonly number[]): Uint32Array {
  const counts = new Uint32Array(latencySteps)
  for (const ms of allMs) counts[stepOf(ms)] = (counts[stepOf(ms)] ?? 0) + 1
  return counts
}

const known = { methods: new Set(['eth_chainId', 'add']), networks: () => ['dev'] }

const observedNothing = (part: Partial<Observed> = {}): Observed => ({
  version: '1.2.3',
  now: () => 1_000_000,
  heads: () => [],
  statuses: () => [],
  content: () => createCounters().content,
  answers: () => new Map(),
  store: () => ({
    segmentBytes: 1,
    databaseBytes: 2,
    uploadBytes: 0,
    bytesMax: null,
    sealed: 3,
    writable: true,
    quarantined: 4,
    isSound: true,
    repairs: 1,
  }),
  backups: () => ({
    target: null,
    everyHours: 24,
    running: null,
    lastSuccess: null,
    lastFailure: null,
  }),
  backgroundFailures: () => 0,
  droppedLines: () => 0,
  events: () => new Map([['webhook', { dropped: 0, failed: 0 }]]),
  pendingWrites: () => 4,
  sessions: () => Promise.resolve(8),
  pinRequests: () => Promise.resolve(new Map([['queued', 9]])),
  usage: () => Promise.resolve({ unwrittenRows: 5, failedWrites: 6 }),
  connections: () => new Map([['faces', 7]]),
  nodes: () => ({ count: 2, state: 'shared', misses: 3 }),
  ipfsNetwork: () => null,
  ...part,
})

test('the IPFS network has gauges while it is used, and counters over all of its processes', async () => {
  const metrics = createMetrics()
  let blocksReceived = 5
  const scrape = observe(
    metrics,
    observedNothing({
      ipfsNetwork: () => ({
        state: 'up',
        wants: 3,
        restarts: 1,
        counts: { peers: { in: 1, out: 2 }, rssBytes: 1000 },
        totals: {
          blocksReceived,
          blocksSent: 6,
          connectionBytesIn: 70,
          connectionBytesOut: 80,
          lies: 1,
          routerRequests: 9,
          routerFailures: 2,
          provided: 4,
          provideFailures: 0,
        },
      }),
    }),
  )
  await scrape()
  blocksReceived = 8
  await scrape()
  const { valueOf } = parseMetrics(await metrics.text())
  assert.equal(valueOf('cairn_ipfs_network_up', {}), 1)
  assert.equal(valueOf('cairn_ipfs_network_peers', { direction: 'out' }), 2)
  assert.equal(valueOf('cairn_ipfs_network_blocks_total', { direction: 'in' }), 8)
  assert.equal(valueOf('cairn_ipfs_network_router_requests_total', { result: 'answered' }), 7)
  const none = createMetrics()
  await observe(none, observedNothing())()
  assert.doesNotMatch(await none.text(), /^cairn_ipfs_network_up/m)
})

test('rows of usage add up without key, and what is asked for by unknown names is one label', async () => {
  const metrics = createMetrics()
  const count = countUsage(metrics, known)
  count([row({}), row({ keyId: 'key-2', requests: 2, units: 10 })])
  count([row({ method: 'x'.repeat(60), network: 'nowhere' }), row({ method: '', network: '' })])
  const text = await metrics.text()
  const { valueOf } = parseMetrics(text)
  const labels = { face: 'rpc', network: 'dev', method: 'eth_chainId', outcome: 'ok' }
  assert.equal(valueOf('cairn_requests_total', labels), 3)
  const other = { ...labels, network: 'other', method: 'other' }
  assert.equal(valueOf('cairn_requests_total', other), 1)
  assert.equal(valueOf('cairn_requests_total', { ...other, network: 'none', method: 'none' }), 1)
  assert.equal(valueOf('cairn_units_total', { face: 'rpc', network: 'dev' }), 15)
  assert.equal(valueOf('cairn_response_bytes_total', { face: 'rpc' }), 80)
  assert.doesNotMatch(text, /key-1|key-2|account-1|xxxx/)
})

test('refusals are counted by code, and by the setting that refused', async () => {
  const metrics = createMetrics()
  countUsage(
    metrics,
    known,
  )([
    row({ outcome: 'refused_by_setting', reason: 'origin', status: 403 }),
    row({ outcome: 'over_rate', status: 429, requests: 3 }),
  ])
  const { valueOf } = parseMetrics(await metrics.text())
  const of = (outcome: string, reason: string) =>
    valueOf('cairn_refusals_total', { face: 'rpc', outcome, reason })
  assert.equal(of('refused_by_setting', 'origin'), 1)
  assert.equal(of('over_rate', 'none'), 3)
})

test('durations lie in the bucket that holds them, cumulative, with a sum right to an eighth', async () => {
  const metrics = createMetrics()
  const all = [0.02, 0.3, 2, 2, 40, 900, 30_000]
  countUsage(metrics, known)([row({ latency: durations(...all), requests: all.length })])
  const { samples, valueOf } = parseMetrics(await metrics.text())
  const name = 'cairn_request_duration_seconds'
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
  let before = 0
  for (const { labels, value } of buckets) {
    const end = Number(labels['le'] === '+Inf' ? Infinity : labels['le'])
    assert.equal(value, all.filter((ms) => ms / 1000 <= end).length, `le=${labels['le']}`)
    assert.ok(value >= before)
    before = value
  }
  const labels = { face: 'rpc', network: 'dev', method: 'eth_chainId' }
  assert.equal(valueOf(`${name}_count`, labels), all.length)
  const sum = all.reduce((total, ms) => total + ms, 0) / 1000
  const shown = valueOf(`${name}_sum`, labels) ?? 0
  assert.ok(Math.abs(shown / sum - 1) < 0.125, `${shown} of ${sum}`)
})

test('every metric of the table keeps the naming rules, and has its type and help', async () => {
  const metrics = createMetrics()
  countUsage(metrics, known)([row({ latency: durations(1), outcome: 'internal' })])
  await observe(metrics, observedNothing())()
  const text = await metrics.text()
  assert.deepEqual(findNamingFaults(text), [])
  const { types } = parseMetrics(text)
  for (const [name, { kind }] of Object.entries<MetricRow>(metricTable)) {
    assert.equal(types.get(name), kind, name)
  }
  const ours = [...types.keys()].filter((name) => name.startsWith('cairn_'))
  assert.deepEqual(ours.toSorted(), Object.keys(metricTable).toSorted())
})

test('no label is one that grows with callers', () => {
  const labels = new Set(Object.values<MetricRow>(metricTable).flatMap((one) => one.labels))
  for (const word of ['key', 'account', 'address', 'ip', 'cid', 'origin', 'email', 'path']) {
    assert.equal(labels.has(word), false, word)
  }
})

test('heads, upstreams and queues are those of the scrape; what is gone is silent', async () => {
  const metrics = createMetrics()
  let upstreams: readonly string[] = ['one', 'two']
  const scrape = observe(
    metrics,
    observedNothing({
      heads: () => [{ network: 'dev', number: 7n, time: 970 }],
      statuses: () => [
        {
          network: 'mainnet',
          headAge: 1_250,
          equivocations: 2,
          status: {
            alarms: [],
            upstreams: upstreams.map((name) => ({
              name,
              trusted: false,
              state: name === 'one' ? 'ok' : 'quarantined',
              p50Ms: 20,
              p95Ms: null,
              successRate: 0.5,
              head: 1n,
              heads: name === 'one' ? 'pushed' : 'polled',
              lag: 2,
              reach: {},
              lacks: [],
              lies: name === 'one' ? 0 : 3,
            })) as never,
          },
        },
      ],
    }),
  )
  await scrape()
  const first = parseMetrics(await metrics.text())
  assert.equal(first.valueOf('cairn_network_head_number', { network: 'dev' }), 7)
  assert.equal(first.valueOf('cairn_network_head_age_seconds', { network: 'dev' }), 30)
  const two = { network: 'mainnet', upstream: 'two' }
  assert.equal(first.valueOf('cairn_upstream_up', { ...two, upstream: 'one' }), 1)
  assert.equal(first.valueOf('cairn_upstream_up', two), 0)
  assert.equal(first.valueOf('cairn_upstream_quarantined', two), 1)
  assert.equal(first.valueOf('cairn_upstream_lies', two), 3)
  assert.equal(first.valueOf('cairn_upstream_heads_pushed', { ...two, upstream: 'one' }), 1)
  assert.equal(first.valueOf('cairn_upstream_heads_pushed', two), 0)
  const confirmed = first.valueOf('cairn_network_head_confirmed_seconds', { network: 'mainnet' })
  assert.equal(confirmed, 1.25)
  const contradictions = 'cairn_network_equivocations_total'
  assert.equal(first.valueOf(contradictions, { network: 'mainnet' }), 2)
  const latency = { ...two, quantile: '0.5' }
  assert.equal(first.valueOf('cairn_upstream_latency_seconds', latency), 0.02)
  assert.equal(first.valueOf('cairn_store_limit_bytes', {}), null)
  assert.equal(first.valueOf('cairn_usage_failed_writes_total', {}), 6)
  upstreams = ['one']
  await scrape()
  const second = parseMetrics(await metrics.text())
  assert.equal(second.valueOf('cairn_upstream_up', two), null)
  assert.equal(second.valueOf('cairn_usage_failed_writes_total', {}), 6)
})

test('content is counted by where it was, and by what sources did', async () => {
  const counters = createCounters()
  const metrics = createMetrics()
  const scrape = observe(
    metrics,
    observedNothing({ content: () => counters.content, answers: () => counters.answers }),
  )
  counters.countContent('remembered', null)
  counters.countContent('held', null)
  counters.countContent('held', null)
  counters.countContent('misread', null)
  counters.countContent('bad_copy', null)
  counters.countContent('fetched', 'node-1')
  counters.countContent('lied', 'node-1')
  counters.countAnswer('proof')
  counters.countAnswer('none')
  await scrape()
  counters.countContent('held', null)
  await scrape()
  const { valueOf } = parseMetrics(await metrics.text())
  const reads = (from: string) => valueOf('cairn_content_reads_total', { from })
  assert.deepEqual(['memory', 'store', 'source'].map(reads), [1, 3, 1])
  assert.equal(valueOf('cairn_content_bad_copies_total', {}), 1)
  assert.equal(valueOf('cairn_content_misreads_total', {}), 1)
  assert.equal(valueOf('cairn_store_quarantined_copies', {}), 4)
  assert.equal(valueOf('cairn_database_sound', {}), 1)
  assert.equal(valueOf('cairn_database_repairs_total', {}), 1)
  const lied = { source: 'node-1', result: 'lied' }
  assert.equal(valueOf('cairn_content_source_replies_total', lied), 1)
  assert.equal(valueOf('cairn_answers_total', { verified: 'proof' }), 1)
  assert.equal(valueOf('cairn_answers_total', { verified: 'none' }), 1)
})

test('names of sources are bounded', () => {
  const counters = createCounters()
  for (let n = 0; n < 300; n++) counters.countContent('fetched', `node-${n}`)
  assert.equal(counters.content.sources.size, 201)
  assert.equal(counters.content.sources.get('other')?.get('fetched'), 100)
})
