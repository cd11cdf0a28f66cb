import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import type { FinishedRequest } from './finished-request.ts'
import { createRecentErrors, recentErrorsMax } from './recent-errors.ts'

function failed(method: string, fault: Fault | null, requestId = 'r'): FinishedRequest {
  return {
    requestId,
    api: 'rpc',
    transport: 'http',
    network: 'dev',
    calls: [{ method, fault }],
    batch: false,
    caller: null,
    status: fault?.row.status ?? 200,
    verified: null,
    units: 0,
    ms: 1,
    bytesIn: 0,
    bytesOut: 0,
    address: '',
    traceParent: null,
    steps: [],
  }
}

test('similar errors are one entry with its count, its first and its last time', () => {
  let now = 1000
  const errors = createRecentErrors({ now: () => now })
  errors.add(failed('eth_call', new Fault('no_upstream'), 'r1'))
  now = 2000
  errors.add(failed('eth_getLogs', new Fault('deadline'), 'r2'))
  now = 3000
  errors.add(failed('eth_call', new Fault('no_upstream'), 'r3'))
  assert.deepEqual(errors.list(), [
    {
      api: 'rpc',
      network: 'dev',
      method: 'eth_call',
      code: 'no_upstream',
      status: 503,
      requestId: 'r3',
      count: 2,
      first: 1000,
      last: 3000,
    },
    {
      api: 'rpc',
      network: 'dev',
      method: 'eth_getLogs',
      code: 'deadline',
      status: 504,
      requestId: 'r2',
      count: 1,
      first: 2000,
      last: 2000,
    },
  ])
})

test('what the client did wrong, and what is a valid answer, is no error of the server', () => {
  const errors = createRecentErrors({ now: () => 0 })
  for (const code of ['bad_key', 'over_rate', 'reverted', 'command_failed', 'hung_up'] as const) {
    errors.add(failed('eth_call', new Fault(code)))
  }
  errors.add(failed('eth_call', null))
  assert.deepEqual(errors.list(), [])
})

test('only the newest entries are held', () => {
  const errors = createRecentErrors({ now: () => 0 })
  for (let number = 0; number < recentErrorsMax + 50; number++) {
    errors.add(failed(`m${number}`, new Fault('internal')))
  }
  const list = errors.list()
  assert.equal(list.length, recentErrorsMax)
  assert.equal(list[0]?.method, `m${recentErrorsMax + 49}`)
  assert.equal(list.at(-1)?.method, 'm50')
})
