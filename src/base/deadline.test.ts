import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { withDeadline } from './deadline.ts'
import { Fault } from './fault.ts'

test('aborts with the fault deadline when time is up, not earlier', () => {
  const clock = createManualClock()
  const { signal } = withDeadline(null, 100, clock)
  clock.advance(99)
  assert.equal(signal.aborted, false)
  clock.advance(1)
  assert.ok(signal.reason instanceof Fault && signal.reason.code === 'deadline')
})

test('follows the outer signal and its reason, also when that aborted before', () => {
  const clock = createManualClock()
  const outer = new AbortController()
  const deadline = withDeadline(outer.signal, 100, clock)
  outer.abort('gone')
  assert.equal(deadline.signal.reason, 'gone')
  assert.equal(withDeadline(outer.signal, 100, clock).signal.reason, 'gone')
})

test('once disposed it never aborts and leaves no timer', () => {
  const clock = createManualClock()
  const outer = new AbortController()
  const deadline = withDeadline(outer.signal, 100, clock)
  deadline[Symbol.dispose]()
  outer.abort('gone')
  clock.advance(1000)
  assert.equal(deadline.signal.aborted, false)
  assert.equal(clock.timers, 0)
})
