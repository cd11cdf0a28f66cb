// Duration of a session's confirmation by password or passkey.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../../test/fakes/turned-clock.ts'
import { confirmedMs, createConfirmations } from './sessions.ts'

test('a confirmation counts for its session alone, and for five minutes', () => {
  const clock = createTurnedClock()
  const { confirm, isConfirmed } = createConfirmations({ clock })
  assert.equal(isConfirmed('one'), false)
  confirm('one')
  assert.deepEqual([isConfirmed('one'), isConfirmed('two')], [true, false])
  clock.turn(confirmedMs - 1)
  assert.equal(isConfirmed('one'), true)
  clock.turn(1)
  assert.equal(isConfirmed('one'), false)
})

test('the number of confirmations held is bounded, and the oldest gives way', () => {
  const { confirm, isConfirmed } = createConfirmations({
    clock: createTurnedClock(),
    sessionsMax: 2,
  })
  for (const session of ['one', 'two', 'three']) confirm(session)
  assert.deepEqual(['one', 'two', 'three'].map(isConfirmed), [false, true, true])
})
