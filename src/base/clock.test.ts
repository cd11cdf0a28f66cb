import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { backgroundFailed, guardClock, systemClock } from './clock.ts'

test('a timer that throws is logged, and the next period calls it again', () => {
  const clock = createManualClock()
  const events: string[] = []
  const guarded = guardClock(clock, (_level, event, facts) => {
    events.push(`${event} ${String(facts?.['error'])}`)
  })
  let calls = 0
  const stop = guarded.every(10, () => {
    calls += 1
    throw new Error(`thrown ${calls}`)
  })
  guarded.after(10, () => {
    throw new Error('once')
  })
  clock.advance(10)
  clock.advance(10)
  assert.deepEqual(events, [
    `${backgroundFailed} Error: thrown 1`,
    `${backgroundFailed} Error: once`,
    `${backgroundFailed} Error: thrown 2`,
  ])
  stop()
  assert.equal(clock.timers, 0)
  assert.equal(guarded.now(), clock.now())
})

test('a delay that has passed runs soon, without a warning of Node', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const active = setTimeout(() => {}, 10_000)
  await new Promise<void>((resolve) => systemClock.after(-20, resolve))
  clearTimeout(active)
  // Node emits warnings in the next turn.
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(warnings, [])
})
