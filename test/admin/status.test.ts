// The server status on the start page: GET /status for every signed-in person, GET /upstreams for operators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminCall, AdminOperation, AdminContext } from '../../src/admin/admin-operation.ts'
import { getIpfsNetwork } from '../../src/admin/resources/server/get-ipfs-network.ts'
import { getStatus } from '../../src/admin/resources/server/get-status.ts'
import { listErrors } from '../../src/admin/resources/server/list-errors.ts'
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
      p50Ms: 1.5,
      p95Ms: null,
      successRate: 0.5,
      head: 7n,
      heads: 'polled',
      lag: 2,
      lies: 3,
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
    asks: { asked: 20, served: 15, servedBytes: 16, refused: 5 },
    restarts: 12,
    deaths: [{ at: 13, reason: 'exit code 1' }],
    wants: 14,
  }),
  announcements: async () => ({ planned: 6, due: 1, late: 2, over: 3, done: 4, failed: 5 }),
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
  lies: async (limit) => Array.from({ length: limit }, () => lie),
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
