import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { supervise } from './supervisor.ts'

function supervised() {
  const clock = createManualClock()
  const delays: number[] = []
  const kills: string[] = []
  let starts = 0
  let waitedMs = 0
  let die = (_reason: string): void => {}
  const supervisor = supervise({
    start() {
      starts += 1
      const { promise, resolve } = Promise.withResolvers<string>()
      die = resolve
      return {
        ended: promise,
        kill(reason) {
          kills.push(reason)
          resolve(reason)
        },
        stop: () => resolve('stopped'),
        waitedMs: () => waitedMs,
      }
    },
    onEnd: (_reason, restartMs) => delays.push(restartMs),
    clock,
  })
  async function end(reason = 'exit code 1'): Promise<void> {
    die(reason)
    await setImmediate()
  }
  /** Passes the time, and the process waits for a processor for this share of it. */
  function pass(seconds: number, share: number): void {
    for (let passed = 0; passed < seconds; passed += 1) {
      waitedMs += 1000 * share
      clock.advance(1000)
    }
  }
  return { supervisor, clock, delays, kills, end, pass, starts: () => starts }
}

test('a process that ends is started again, after 1, 2, 4 and at most 60 s', async () => {
  const { clock, delays, end, starts } = supervised()
  for (let index = 0; index < 8; index += 1) {
    await end()
    clock.advance(delays.at(-1) ?? 0)
  }
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  assert.equal(starts(), 9)
})

test('after ten minutes of work the next delay is the first again', async () => {
  const { supervisor, clock, delays, end } = supervised()
  await end()
  clock.advance(1000)
  for (let minutes = 0; minutes < 600; minutes += 1) {
    clock.advance(1000)
    supervisor.alive()
  }
  await end()
  assert.deepEqual(delays, [1000, 1000])
})

test('five ends in ten minutes: the network is down, until ten minutes have passed', async () => {
  const { supervisor, clock, delays, end } = supervised()
  for (let index = 0; index < 5; index += 1) {
    assert.equal(supervisor.isDown, false)
    await end(`exit code ${index}`)
    clock.advance(delays.at(-1) ?? 0)
  }
  assert.equal(supervisor.isDown, true)
  assert.equal(supervisor.deaths.at(-1)?.reason, 'exit code 4')
  for (let seconds = 0; seconds < 600; seconds += 1) {
    clock.advance(1000)
    supervisor.alive()
  }
  assert.equal(supervisor.isDown, false)
})

test('a process without a sign of life for 15 s is killed', async () => {
  const { supervisor, clock, kills } = supervised()
  clock.advance(14_999)
  supervisor.alive()
  clock.advance(15_000)
  assert.deepEqual(kills, [])
  clock.advance(1)
  assert.deepEqual(kills, ['no answer for 15 s'])
})

test('a process that waits for a processor is not killed, for at most two minutes', () => {
  const { supervisor, kills, pass } = supervised()
  pass(100, 0.8)
  supervisor.alive()
  pass(119, 0.8)
  assert.deepEqual(kills, [])
  pass(21, 0.8)
  assert.deepEqual(kills, ['no answer for 15 s'])
})

test('a process that runs, or sleeps, and sends nothing is killed', () => {
  const { kills, pass } = supervised()
  pass(20, 0.4)
  assert.deepEqual(kills, ['no answer for 15 s'])
})

test('a stop ends the process and starts no other', async () => {
  const { supervisor, clock, starts } = supervised()
  await supervisor.stop()
  clock.advance(600_000)
  assert.equal(starts(), 1)
  assert.equal(supervisor.run, null)
})
