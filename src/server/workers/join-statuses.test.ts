import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historySlots } from '../../chain/upstream/node/call-history.ts'
import { joinStatuses, reportOf, type Statuses } from './join-statuses.ts'

const none = Array.from({ length: historySlots }, () => 0)
const once = [...none.slice(1), 1]
const history = { slot: 9, calls: once, failed: none, lastFailure: null }

type Change = Partial<Statuses[number]['status']['upstreams'][number]>

function statuses(change: Change = {}): Statuses {
  const upstream = {
    name: 'a',
    trusted: true,
    state: 'ok',
    leftMs: null,
    p50Ms: null,
    p95Ms: null,
    successRate: 1,
    history,
    head: 54n,
    heads: 'polled',
    lag: 0,
    reach: { body: 'all', receipts: 'all', state: 'all', proof: 'unknown' },
    lacks: [],
    lies: 1,
    ...change,
  } as const
  const status = { upstreams: [upstream], alarms: [] }
  return [{ network: 'n', status, headAge: 5, equivocations: 0 }]
}

test('invalid replies and calls of all processes are added, and the worst process decides the rest', () => {
  const one = reportOf(statuses({ lies: 2, p50Ms: 4, p95Ms: 9, successRate: 0.5 }))
  const state = { state: 'quarantined', leftMs: 8_000 } as const
  const other = reportOf(statuses({ lies: 4, p50Ms: 7, p95Ms: 8, ...state }))
  const joined = joinStatuses(statuses(), [...one, ...other])
  assert.deepEqual(
    joined,
    statuses({
      lies: 7,
      p50Ms: 7,
      p95Ms: 9,
      successRate: 0.5,
      ...state,
      history: { ...history, calls: [...none.slice(1), 3] },
    }),
  )
})

test('a paused upstream of the keeper stays paused, and reports of other upstreams change nothing', () => {
  const paused = statuses({ state: 'open' })
  const idle = { ...history, calls: none }
  assert.deepEqual(joinStatuses(paused, reportOf(statuses({ lies: 0, history: idle }))), paused)
  assert.deepEqual(joinStatuses(paused, reportOf(statuses({ name: 'b' }))), paused)
  assert.equal(joinStatuses(paused, []), paused)
})
