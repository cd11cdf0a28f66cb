// Background steps pause only for the writes of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createDutyCycle } from './duty-cycle.ts'

const never = new AbortController().signal

/** Steps that take `tookMs` and make one write each. */
function rig(tookMs: number) {
  const clock = createManualClock()
  let writes = 0
  let done = 0
  const dutyCycle = createDutyCycle({ clock, writeCount: () => writes })
  const step = async (signal = never): Promise<void> => {
    const work = (): void => {
      writes += 1
      clock.advance(tookMs)
    }
    await dutyCycle.step(1, work, signal)
    done += 1
  }
  return {
    clock,
    step,
    others: () => void (writes += 1),
    get done() {
      return done
    },
  }
}

test('without other writes, a step follows the previous one immediately', async () => {
  const { clock, step } = rig(2)
  for (let number = 0; number < 100; number += 1) await step()
  assert.equal(clock.timers, 0)
  assert.equal(clock.monotonic(), 200)
})

test('while others write, nineteen twentieths of the time are theirs', async () => {
  const steps = rig(2)
  steps.others()
  const first = steps.step()
  await setImmediate()
  steps.clock.advance(37)
  await setImmediate()
  assert.equal(steps.done, 0)
  steps.clock.advance(1)
  await first
  assert.equal(steps.clock.monotonic(), 40)
})

test('what others wrote long before is no reason to rest', async () => {
  const { clock, step, others } = rig(2)
  await step()
  others()
  clock.advance(5_000)
  await step()
  assert.equal(clock.timers, 0)
  assert.equal(clock.monotonic(), 5_004)
})

test('a second after the last write of others the steps continue without pause', async () => {
  const steps = rig(2)
  steps.others()
  for (let number = 0; number < 25; number += 1) {
    const one = steps.step()
    await setImmediate()
    steps.clock.advance(38)
    await one
  }
  assert.equal(steps.clock.monotonic(), 1000)
  // This step ends more than one second after the write.
  await steps.step()
  await steps.step()
  assert.equal(steps.clock.monotonic(), 1004)
  assert.equal(steps.clock.timers, 0)
})

test('the pause after a long step is at most 200 ms', async () => {
  const steps = rig(500)
  steps.others()
  const one = steps.step()
  await setImmediate()
  steps.clock.advance(200)
  await one
  assert.equal(steps.clock.monotonic(), 700)
})

test('the signal ends a pause, and the error of a step is thrown after its pause', async () => {
  const steps = rig(2)
  const stopping = new AbortController()
  steps.others()
  const one = steps.step(stopping.signal)
  await setImmediate()
  assert.equal(steps.done, 0)
  stopping.abort()
  await one
  assert.equal(steps.clock.timers, 0)
  const dutyCycle = createDutyCycle({ clock: steps.clock, writeCount: () => 0 })
  await assert.rejects(
    dutyCycle.step(0, () => Promise.reject(new Error('no')), never),
    /no/,
  )
})
