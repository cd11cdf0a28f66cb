import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../test/fakes/turned-clock.ts'
import { Fault } from '../base/fault.ts'
import { createCardForms } from './card-forms.ts'

const overRate = (error: unknown) => error instanceof Fault && error.code === 'over_rate'

test('an address begins as many forms a day as it may, and one more when a part of the day is over', () => {
  const clock = createTurnedClock()
  const admit = createCardForms({ clock, perDay: () => 4 })
  for (let form = 0; form < 4; form++) admit('192.0.2.1')
  assert.throws(() => admit('192.0.2.1'), overRate)
  admit('192.0.2.2')
  clock.turn(6 * 3_600_000)
  admit('192.0.2.1')
  assert.throws(() => admit('192.0.2.1'), overRate)
})

test('an IPv6 customer cannot change address within its own network', () => {
  const admit = createCardForms({ clock: createTurnedClock(), perDay: () => 1 })
  admit('2001:db8:1:2::1')
  assert.throws(() => admit('2001:db8:1:2::2'), overRate)
})

test('ten thousand addresses are remembered, and not one more', () => {
  const admit = createCardForms({ clock: createTurnedClock(), perDay: () => 1 })
  admit('first')
  for (let n = 1; n < 10_000; n++) admit(`address-${n}`)
  assert.throws(() => admit('first'), overRate)
  admit('one more')
  admit('first')
})
