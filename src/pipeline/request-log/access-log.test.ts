import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { accessLine } from './access-log.ts'
import type { FinishedRequest } from './finished-request.ts'

const request: FinishedRequest = {
  requestId: 'r1',
  api: 'rpc',
  transport: 'http',
  network: 'dev',
  calls: [{ method: 'eth_chainId', fault: null }],
  batch: false,
  caller: { keyId: 'k1', accountId: 'a1' },
  status: 200,
  verified: 'proof',
  units: 80,
  ms: 1.23456,
  bytesIn: 61,
  bytesOut: 41,
  address: '192.0.2.1',
  traceParent: null,
  steps: [],
}
const all = { sample: 1, addresses: false }
const none = { sample: 0, addresses: false }

function parsed(...order: Parameters<typeof accessLine>): Record<string, unknown> | null {
  const line = accessLine(...order)
  return line === null ? null : (JSON.parse(line) as Record<string, unknown>)
}

test('a line says who called what, how it ended and what it cost', () => {
  assert.deepEqual(
    parsed(request, all, 0, () => 0),
    {
      time: '1970-01-01T00:00:00.000Z',
      requestId: 'r1',
      api: 'rpc',
      network: 'dev',
      method: 'eth_chainId',
      key: 'k1',
      account: 'a1',
      status: 200,
      outcome: 'ok',
      verified: 'proof',
      units: 80,
      ms: 1.235,
      bytesIn: 61,
      bytesOut: 41,
    },
  )
})

test('the address is written only if the setting says so', () => {
  assert.equal(parsed(request, all, 0, () => 0)?.['address'], undefined)
  assert.equal(parsed(request, { ...all, addresses: true }, 0, () => 0)?.['address'], '192.0.2.1')
})

test('a batch is one line with its methods, of which only sixteen are named', () => {
  const calls = Array.from({ length: 40 }, (_, number) => ({
    method: `eth_${number % 20}`,
    fault: number === 7 ? new Fault('deadline') : null,
  }))
  const line = parsed({ ...request, batch: true, calls }, all, 0, () => 0)
  assert.equal(line?.['method'], 'batch')
  assert.equal(line['calls'], 40)
  assert.equal(line['failed'], 1)
  assert.equal(line['outcome'], 'deadline')
  const methods = line['methods'] as Record<string, number>
  assert.equal(Object.keys(methods).length, 17)
  assert.equal(methods['eth_0'], 2)
  assert.equal(methods['other'], 8)
})

test('the sample leaves out requests without an error, and never one with an error', () => {
  assert.equal(
    parsed(request, none, 0, () => 0),
    null,
  )
  assert.equal(
    parsed(request, { ...none, sample: 0.5 }, 0, () => 0.5),
    null,
  )
  assert.notEqual(
    parsed(request, { ...none, sample: 0.5 }, 0, () => 0.49),
    null,
  )
  const failing = (fault: Fault) => ({ ...request, calls: [{ method: 'eth_call', fault }] })
  assert.equal(parsed(failing(new Fault('over_rate')), none, 0, () => 1)?.['outcome'], 'over_rate')
  // A revert is a valid reply.
  assert.equal(
    parsed(failing(new Fault('reverted')), none, 0, () => 1),
    null,
  )
  assert.equal(parsed(failing(new Fault('reverted')), all, 0, () => 1)?.['outcome'], 'reverted')
})
