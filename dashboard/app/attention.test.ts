import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionOf, type AttentionParts } from './attention.ts'

const now = Date.UTC(2026, 10, 24, 12)

const status: NonNullable<AttentionParts['status']> = {
  version: '1',
  started: 0,
  ready: true,
  facesPort: null,
  networks: [
    {
      name: 'mainnet',
      chainId: '1',
      embedded: false,
      head: '7',
      headAgeMs: 12_000,
      anchor: null,
    },
  ],
  store: { writable: true, bytes: 1, bytesMax: null },
  gateway: { enabled: true, public: false, deserialized: false, host: null, local: false },
}

function key(name: string, limit: number | null, more: object = {}) {
  const used = { requests: 9, failed: 0, unitsToday: 0, lastUsed: now, hours: null }
  return {
    id: name,
    name,
    prefix: '',
    revoked: null,
    expires: null,
    unitsPerDay: limit,
    ...used,
    ...more,
  }
}

test('a healthy server needs no attention', () => {
  const upstreams = { upstreams: [], alarms: [], lies: [] }
  assert.deepEqual(attentionOf({ status, upstreams, keys: [] }, now), [])
  assert.deepEqual(attentionOf({}, now), [])
})

test('what is broken comes before what will be, each with the page that helps', () => {
  const expires = now + 86_400_000
  const keys = [
    key('indexer', 100, { unitsToday: 91 }),
    key('ci', null, { expires }),
    key('idle', 100, { expires, requests: 0 }),
    key('revoked', 100, { unitsToday: 100, revoked: now }),
  ]
  const found = attentionOf(
    {
      status: { ...status, networks: [{ ...status.networks[0], head: null }] },
      keys,
    } as unknown as AttentionParts,
    now,
  )
  assert.deepEqual(
    found.map(({ tone, title, to }) => [tone, title, to]),
    [
      ['bad', 'mainnet has no recent block', '/networks'],
      ['warn', "Key “indexer” has used 91% of today's units", '/keys/indexer?tab=limits'],
      ['warn', 'Key “ci” expires tomorrow', '/keys/ci?tab=access'],
    ],
  )
  assert.equal(found[1]?.text, 'At this rate they end at 13:11 UTC.')
})

test('calls that failed on the side of the server need attention, from 20 calls and one percent on', () => {
  const report = (failed: number, requests: number) => ({
    totals: { requests },
    table: [
      { outcome: 'no_upstream', requests: failed },
      { outcome: 'bad_params', requests: Math.floor(requests / 2) },
      { outcome: 'ok', requests: requests - failed - Math.floor(requests / 2) },
    ],
  })
  const found = (failed: number, requests: number) =>
    attentionOf({ report: report(failed, requests) } as unknown as AttentionParts, now).map(
      ({ tone, title }) => [tone, title],
    )
  assert.deepEqual(found(0, 1000), [])
  assert.deepEqual(found(9, 1000), [])
  assert.deepEqual(found(9, 19), [])
  assert.deepEqual(found(20, 1000), [['warn', '2.0% of the calls failed on our side']])
  assert.deepEqual(found(140, 1000), [['bad', '14% of the calls failed on our side']])
})

test('a head over five minutes old is named with its age, that of the local chain is not', () => {
  const [mainnet] = status.networks
  assert.ok(mainnet !== undefined)
  const networks = [
    { ...mainnet, headAgeMs: 300_000 },
    { ...mainnet, name: 'sepolia', headAgeMs: 3 * 3_600_000 + 59_000 },
    { ...mainnet, name: 'dev', embedded: true, headAgeMs: 86_400_000 },
    { ...mainnet, name: 'private', headAgeMs: null },
  ]
  const found = attentionOf({ status: { ...status, networks } }, now)
  assert.deepEqual(
    found.map(({ tone, title }) => [tone, title]),
    [['warn', 'The newest block of sepolia is 3 h old']],
  )
})

test('invalid replies of the last day are counted by upstream', () => {
  const lie = { id: 1, network: 'mainnet', upstream: 'node-b', time: now - 720_000 }
  const upstreams = {
    upstreams: [{ network: 'mainnet', name: 'node-b', state: 'quarantined' }],
    alarms: [],
    lies: [lie, lie, { ...lie, time: now - 2 * 86_400_000 }],
  }
  const [found] = attentionOf({ upstreams } as unknown as AttentionParts, now)
  assert.equal(found?.title, 'node-b on mainnet sent 2 invalid replies')
  assert.equal(found?.text, 'The last one 12 minutes ago. No wrong answer reached a caller.')
})

test('a broken rule on errors or latency leads to the usage of its key', () => {
  const rules = [
    { measure: 'errors', above: 5, minutes: 5, key: null, since: now - 240_000 },
    { measure: 'p95', above: 500, minutes: 15, key: 'web', since: now },
    { measure: 'failed', above: 1, minutes: 5, key: null, since: null },
  ] as const
  const found = attentionOf(
    { rules: [...rules], keys: [key('web', null)] } as unknown as AttentionParts,
    now,
  )
  assert.deepEqual(
    found.map(({ tone, title, to }) => [tone, title, to]),
    [
      ['bad', 'Errors above 5%', '/usage?window=1h'],
      ['bad', 'Latency, p95, of key “web” above 500 ms', '/usage?window=1h&key=web'],
    ],
  )
  assert.equal(found[0]?.text, 'In 5 minutes. The alert opened 4 minutes ago.')
})
