import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import {
  addCallCounts,
  createCallHistory,
  historyIntervalMs,
  historySlots,
} from './call-history.ts'
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts'

function failure(kind: UpstreamErrorKind, message = 'failed'): UpstreamError {
  return new UpstreamError({ kind, phase: 'sent', message })
}

test('calls are counted by interval for 24 hours, and older ones are dropped', () => {
  const clock = createManualClock()
  const history = createCallHistory(clock)
  history.succeed()
  clock.advance(historyIntervalMs)
  history.succeed()
  history.succeed()
  const { calls } = history.now()
  assert.deepEqual([calls.length, calls.slice(-3)], [historySlots, [0, 1, 2]])
  clock.advance((historySlots - 1) * historyIntervalMs)
  assert.deepEqual(history.now().calls, [2, ...Array.from({ length: historySlots - 1 }, () => 0)])
  clock.advance(1_000 * historyIntervalMs)
  assert.ok(history.now().calls.every((count) => count === 0))
})

test('an error that answers a call is no failure, and a call that was not sent does not count', () => {
  const clock = createManualClock()
  const history = createCallHistory(clock)
  history.learn(failure('execution'))
  history.learn(failure('not_asked'))
  history.learn(new Error('the caller left'))
  assert.deepEqual(
    [history.now().calls.at(-1), history.now().failed.at(-1), history.now().lastFailure],
    [1, 0, null],
  )
  clock.advance(5)
  history.learn(failure('trouble', 'x'.repeat(1_000)))
  const { calls, failed, lastFailure } = history.now()
  assert.deepEqual([calls.at(-1), failed.at(-1)], [2, 1])
  assert.deepEqual([lastFailure?.time, lastFailure?.message.length], [clock.now(), 300])
})

test('a clock that is set back counts in the newest interval', () => {
  const clock = createManualClock()
  let back = 0
  const history = createCallHistory({ ...clock, now: () => clock.now() - back })
  history.succeed()
  back = 10 * historyIntervalMs
  history.succeed()
  assert.equal(history.now().calls.at(-1), 2)
})

test('the counts of two processes are added by interval, also where one read its clock earlier', () => {
  const clock = createManualClock()
  const [one, other] = [createCallHistory(clock), createCallHistory(clock)]
  one.succeed()
  other.succeed()
  const early = other.now()
  clock.advance(historyIntervalMs)
  one.learn(failure('trouble'))
  const { calls, failed, lastFailure } = addCallCounts(one.now(), early)
  assert.deepEqual(
    [calls.slice(-2), failed.slice(-2)],
    [
      [2, 1],
      [0, 1],
    ],
  )
  assert.equal(lastFailure?.message, 'failed')
})
