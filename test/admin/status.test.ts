// The server status on the start page: GET /status for every signed-in person, GET /upstreams for operators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminCall, AdminOperation, AdminContext } from '../../src/admin/admin-operation.ts'
import { getIpfsNetwork } from '../../src/admin/resources/server/get-ipfs-network.ts'
import { getStatus } from '../../src/admin/resources/server/get-status.ts'
import { listErrors } from '../../src/admin/resources/server/list-errors.ts'
import { listInvalidReplies } from '../../src/admin/resources/server/list-invalid-replies.ts'
import { listUpstreams } from '../../src/admin/resources/server/list-upstreams.ts'
import { runAdmin } from '../../src/admin/run-admin.ts'
import type { ServerStatus } from '../../src/admin/resources/server/server-status.ts'

const lie = {
  time: 1,
  network: 'mainnet',
  upstream: 'one',
  method: 'eth_getProof',
  params: '[]',
  response: '"0x"'.padEnd(9_000, ' '),
  expected: 'a',
  computed: 'b',
  block: null,
}
const view: ServerStatus = {
  version: '1.0.0',
  started: 5,
  ready: true,
  facesPort: null,
  networks: () => [
    {
      name: 'mainnet',
      chainId: 1n,
      embedded: false,
      head: 2n ** 60n,
      headAgeMs: 6_000,
      anchor: 'trusted',
    },
    { name: 'dev', chainId: 1337n, embedded: true, head: null, headAgeMs: null, anchor: null },
  ],
  gateway: () => ({ enabled: true, public: false, deserialized: false, host: null, local: false }),
  store: () => ({ writable: true, bytes: 10, bytesMax: null }),
  upstreams: () => [
    {
      network: 'mainnet',
      name: 'one',
      url: 'https://node.example',
      trusted: true,
      state: 'quarantined',
      leftMs: 60_000,
      p50Ms: 1.5,
      p95Ms: null,
      successRate: 0.5,
      head: 7n,
      heads: 'polled',
      lag: 2,
      proofs: 'the last 128 blocks',
      lies: 3,
      history: {
        slot: 100,
        calls: [...Array.from({ length: 47 }, () => 0), 5],
        failed: [...Array.from({ length: 47 }, () => 0), 2],
        lastFailure: { time: 8, message: 'connect ECONNREFUSED' },
      },
    },
  ],
  ipfsNetwork: () => ({
    mode: 'provide',
    state: 'down',
    pid: null,
    ready: null,
    counts: null,
    totals: {
      blocksReceived: 1,
      bytesReceived: 2,
      blocksSent: 3,
      bytesSent: 4,
      connectionBytesIn: 5,
      connectionBytesOut: 6,
      lies: 7,
      routerRequests: 8,
      routerFailures: 9,
      provided: 10,
      provideFailures: 11,
    },
    peerRequests: { received: 20, served: 15, servedBytes: 16, refused: 5 },
    restarts: 12,
    deaths: [{ at: 13, reason: 'exit code 1' }],
    wants: 14,
  }),
  announcements: async () => ({ planned: 6, due: 1, late: 2, over: 3, done: 4, failed: 5 }),
  checkProvider: () => null,
  alarms: () => [{ network: 'mainnet', need: 'receipts', since: 9 }],
  errors: () => [
    {
      api: 'rpc',
      network: 'mainnet',
      method: 'eth_call',
      code: 'upstream_unavailable',
      status: 503,
      requestId: 'a',
      count: 3,
      first: 1,
      last: 2,
    },
  ],
  invalidReplies: async ({ of = null, before = 1_000, limit }) =>
    Array.from({ length: limit }, (_, at) => ({
      ...lie,
      upstream: of?.upstream ?? lie.upstream,
      id: Math.min(before, 1_000) - 1 - at,
    })),
  invalidReplyCounts: async () => [{ network: 'mainnet', upstream: 'one', lies: 7, last: 1 }],
}

async function run(
  operation: AdminOperation,
  sent: Readonly<Record<string, unknown>>,
  server: ServerStatus | null = view,
): Promise<Record<string, unknown>> {
  const call: AdminCall = {
    ...({} as AdminContext),
    server,
    actor: { kind: 'local' },
    origin: { address: null, userAgent: null, device: null, page: null },
    session: { begin: () => {}, end: () => {}, remember: () => {} },
    signal: new AbortController().signal,
  }
  const reply = await runAdmin(operation, sent, call)
  return (reply as { value: Record<string, unknown> }).value
}

test('the status contains numbers of any size, and null for a network without a head', async () => {
  const status = await run(getStatus, {})
  assert.deepEqual(status['networks'], [
    {
      name: 'mainnet',
      chainId: '1',
      embedded: false,
      head: '1152921504606846976',
      headAgeMs: 6_000,
      anchor: 'trusted',
    },
    { name: 'dev', chainId: '1337', embedded: true, head: null, headAgeMs: null, anchor: null },
  ])
  assert.deepEqual(status['store'], { writable: true, bytes: 10, bytesMax: null })
})

test('operators see upstreams and the requested number of invalid replies, with long evidence cut', async () => {
  const found = await run(listUpstreams, { lies: '2' })
  assert.partialDeepStrictEqual(found['upstreams'], [
    { name: 'one', state: 'quarantined', lies: 3 },
  ])
  const lies = found['lies'] as readonly { readonly response: string }[]
  assert.equal(lies.length, 2)
  assert.ok(lies.every(({ response }) => response.length < 5_000 && response.endsWith('…')))
  await assert.rejects(run(listUpstreams, { lies: '100000' }), { code: 'bad_input' })
})

test('each upstream has its calls and failures of the last 24 hours, its proofs and the rest of its quarantine', async () => {
  const { upstreams } = (await run(listUpstreams, {})) as {
    upstreams: readonly {
      history: { start: number; intervalMs: number; calls: number[]; failed: number[] }
    }[]
  }
  const [one] = upstreams
  assert.partialDeepStrictEqual(one, {
    leftMs: 60_000,
    proofs: 'the last 128 blocks',
    lastFailure: { time: 8, message: 'connect ECONNREFUSED' },
  })
  const { start, intervalMs, calls, failed } = one?.history ?? assert.fail('no history')
  assert.equal(start + 47 * intervalMs, 100 * intervalMs)
  assert.deepEqual([calls.at(-1), failed.at(-1), calls.length], [5, 2, 48])
})

test('invalid replies are listed page by page, of all upstreams or of one, with their number', async () => {
  const first = await run(listInvalidReplies, { limit: '2' })
  assert.partialDeepStrictEqual(first['replies'], [{ id: 999 }, { id: 998 }])
  assert.deepEqual(first['counts'], [{ network: 'mainnet', upstream: 'one', count: 7, last: 1 }])
  const of = { network: 'mainnet', upstream: 'two', before: '998', limit: '1' }
  assert.partialDeepStrictEqual((await run(listInvalidReplies, of))['replies'], [
    { id: 997, upstream: 'two' },
  ])
  await assert.rejects(run(listInvalidReplies, { network: 'mainnet' }), {
    code: 'bad_input',
    message: /expected network and upstream/,
  })
  await assert.rejects(run(listInvalidReplies, {}, null), { code: 'absent' })
})

test('operators see recent errors with their number and a request ID of the log', async () => {
  assert.deepEqual(await run(listErrors, {}), { errors: [...view.errors()] })
  await assert.rejects(run(listErrors, {}, null), { code: 'absent' })
})

test('operators see the IPFS network with its transfer and last failures, also while it is off', async () => {
  assert.partialDeepStrictEqual(await run(getIpfsNetwork, {}), {
    mode: 'provide',
    state: 'down',
    peer: null,
    transfer: { blocksReceived: 1, blocksSent: 3, bytesIn: 5, bytesOut: 6 },
    announcements: { planned: 6, due: 1, late: 2, over: 3, done: 4, failed: 5 },
    invalidReplies: 7,
    refusedWants: 5,
    restarts: 12,
    failures: [{ time: 13, reason: 'exit code 1' }],
  })
  const off = await run(getIpfsNetwork, {}, { ...view, ipfsNetwork: () => null })
  assert.partialDeepStrictEqual(off, { mode: 'off', state: 'off', failures: [] })
})

test('a data folder without a server refuses with a reference to the running server', async () => {
  await assert.rejects(run(getStatus, {}, null), { code: 'absent' })
})
