// Duration of a session's confirmation by password or passkey.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { confirmedMs, createConfirmations } from './sessions.ts'

test('a confirmation counts for its session alone, and for five minutes', () => {
  const clock = createManualClock()
  const { confirm, isConfirmed } = createConfirmations({ clock })
  assert.equal(isConfirmed('one'), false)
  confirm('one')
  assert.deepEqual([isConfirmed('one'), isConfirmed('two')], [true, false])
  clock.advance(confirmedMs - 1)
  assert.equal(isConfirmed('one'), true)
  clock.advance(1)
  assert.equal(isConfirmed('one'), false)
})

test('the number of confirmations held is bounded, and the oldest gives way', () => {
  const { confirm, isConfirmed } = createConfirmations({
    clock: createManualClock(),
    sessionsMax: 2,
  })
  for (const session of ['one', 'two', 'three']) confirm(session)
  assert.deepEqual(['one', 'two', 'three'].map(isConfirmed), [false, true, true])
})
