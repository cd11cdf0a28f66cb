import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCallLog, type LoggedCalls } from './call-log.ts'
import type { UsedCall } from './usage-row.ts'

const call: UsedCall = {
  keyId: 'key-1',
  accountId: 'account-1',
  face: 'rpc',
  network: 'dev',
  method: 'eth_call',
  verified: 'proof',
  outcome: 'ok',
  reason: '',
  status: 200,
  units: 80,
  bytesIn: 0,
  bytesOut: 0,
  ms: 1.23456,
}

function rig(calls: LoggedCalls) {
  const lines: { level: string; event: string; facts: Record<string, unknown> }[] = []
  const clock = { at: 5_000, now: () => clock.at }
  const write = createCallLog({
    calls: () => calls,
    clock,
    log: (level, event, facts = {}) => lines.push({ level, event, facts }),
  })
  return { lines, clock, write }
}

test('a failed call is logged with its key, method, outcome and reason, and without its content', () => {
  const { lines, write } = rig('failed')
  write({
    ...call,
    outcome: 'refused_by_setting',
    reason: 'method',
    status: 403,
    units: 0,
    ms: null,
  })
  assert.deepEqual(lines, [
    {
      level: 'info',
      event: 'call',
      facts: {
        api: 'rpc',
        network: 'dev',
        method: 'eth_call',
        key: 'key-1',
        account: 'account-1',
        outcome: 'refused_by_setting',
        reason: 'method',
        status: 403,
        units: 0,
      },
    },
  ])
})

test('of failed calls, a revert and the reply of an upstream are none; a 5xx is a warning', () => {
  const { lines, write } = rig('failed')
  write(call)
  write({ ...call, outcome: 'reverted' })
  write({ ...call, outcome: 'upstream_said' })
  assert.equal(lines.length, 0)
  write({ ...call, outcome: 'no_upstream', status: 503 })
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['warn'],
  )
})

test('"all" logs every call, "none" logs no call', () => {
  const all = rig('all')
  all.write({ ...call, face: 'files', network: '', method: 'cat' })
  assert.equal(all.lines[0]?.facts['api'], 'ipfs')
  assert.equal(all.lines[0]?.facts['ms'], 1.235)
  const none = rig('none')
  none.write({ ...call, outcome: 'internal', status: 500 })
  assert.deepEqual(none.lines, [])
})

test('at most 200 calls a second are logged; the next second logs the number of omitted ones', () => {
  const { lines, clock, write } = rig('all')
  for (let index = 0; index < 1_000; index++) write(call)
  assert.equal(lines.length, 200)
  clock.at += 1_000
  write(call)
  assert.deepEqual(
    lines.slice(200).map(({ event, facts }) => [event, facts['calls']]),
    [
      ['calls_not_logged', 800],
      ['call', undefined],
    ],
  )
})
