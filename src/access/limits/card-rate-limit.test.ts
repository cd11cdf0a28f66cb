import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createCardRateLimit } from './rate-limit.ts'

const overRate = (error: unknown) => error instanceof Fault && error.code === 'over_rate'
const perDay = (most: number) => ({ most: () => most, seconds: 86_400, details: () => 'a limit' })

test('a name may query up to its daily limit, and once more after a part of the day has passed', () => {
  const clock = createManualClock()
  const admit = createCardRateLimit({ clock, ...perDay(4) })
  for (let request = 0; request < 4; request++) admit('192.0.2.1')
  assert.throws(() => admit('192.0.2.1'), overRate)
  admit('192.0.2.2')
  clock.advance(6 * 3_600_000)
  admit('192.0.2.1')
  assert.throws(() => admit('192.0.2.1'), overRate)
})

test('ten thousand names are remembered, and not one more', () => {
  const admit = createCardRateLimit({ clock: createManualClock(), ...perDay(1) })
  admit('first')
  for (let n = 1; n < 10_000; n++) admit(`name-${n}`)
  assert.throws(() => admit('first'), overRate)
  admit('one more')
  admit('first')
})
