import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createFailedSignIns as createAnyFailed } from './failed-attempts.ts'

/** In a single process, results are synchronous. */
function createFailedSignIns(parts: Parameters<typeof createAnyFailed>[0]) {
  const failed = createAnyFailed(parts)
  return {
    begin(address: string, name: string): () => void {
      const takeBack = failed.begin(address, name)
      assert.ok(!(takeBack instanceof Promise))
      return takeBack
    },
  }
}

const overRate = (error: unknown) => error instanceof Fault && error.code === 'over_rate'

test('ten wrong tries for one person in a burst, then at the configured rate, with the wait in seconds', () => {
  const clock = createManualClock()
  const failed = createFailedSignIns({ clock, perHour: () => 60 })
  for (let n = 0; n < 10; n++) failed.begin('192.0.2.1', 'ada@example.org')
  assert.throws(
    () => failed.begin('192.0.2.1', 'ada@example.org'),
    (error: unknown) =>
      overRate(error) &&
      (error as Fault).message === 'too many tries to sign in failed: try again in 60 s',
  )
  clock.advance(60_000)
  failed.begin('192.0.2.1', 'ada@example.org')
  assert.throws(() => failed.begin('192.0.2.1', 'ada@example.org'), overRate)
})

test('an address is held back whomever it tries, and a person from wherever it is tried', () => {
  const failed = createFailedSignIns({ clock: createManualClock(), perHour: () => 60 })
  for (let n = 0; n < 50; n++) failed.begin('192.0.2.1', `p${n}@example.org`)
  assert.throws(() => failed.begin('192.0.2.1', 'other@example.org'), overRate)
  for (let n = 0; n < 10; n++) failed.begin(`198.51.100.${n}`, 'ada@example.org')
  assert.throws(() => failed.begin('203.0.113.9', 'ada@example.org'), overRate)
  failed.begin('203.0.113.9', 'grace@example.org')
})

test('successful sign-ins never count', () => {
  const failed = createFailedSignIns({ clock: createManualClock(), perHour: () => 60 })
  for (let n = 0; n < 100; n++) {
    const takeBack = failed.begin('192.0.2.1', 'ada@example.org')
    takeBack()
    takeBack()
  }
  for (let n = 0; n < 10; n++) failed.begin('192.0.2.1', 'ada@example.org')
  assert.throws(() => failed.begin('192.0.2.1', 'ada@example.org'), overRate)
})

test('of a thousand concurrent attempts exactly ten are admitted', () => {
  const failed = createFailedSignIns({ clock: createManualClock(), perHour: () => 60 })
  let passed = 0
  for (let n = 0; n < 1000; n++) {
    try {
      failed.begin('192.0.2.1', 'ada@example.org')
      passed++
    } catch (error) {
      assert.ok(overRate(error))
    }
  }
  assert.equal(passed, 10)
})

test('of more addresses than are remembered the oldest starts afresh', () => {
  const clock = createManualClock()
  const failed = createFailedSignIns({ clock, perHour: () => 60, keysMax: 4 })
  for (let n = 0; n < 10; n++) failed.begin('192.0.2.1', 'a@example.org')
  for (let n = 0; n < 2; n++) failed.begin(`198.51.100.${n}`, `b${n}@example.org`)
  failed.begin('192.0.2.1', 'a@example.org')
})
