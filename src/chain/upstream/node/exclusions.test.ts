import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { type Quarantine, createQuarantine } from './exclusions.ts'

const minute = 60_000

function prove(quarantine: Quarantine, times: number): void {
  for (let i = 0; i < times; i++) quarantine.prove()
}

test('an invalid reply shuts an upstream for a minute, and twenty proved replies release it', () => {
  const clock = createManualClock()
  const quarantine = createQuarantine(clock)
  assert.equal(quarantine.state, 'free')
  quarantine.invalidReply()
  assert.equal(quarantine.state, 'shut')
  prove(quarantine, 30)
  clock.advance(minute)
  assert.equal(quarantine.state, 'proving')
  prove(quarantine, 19)
  assert.equal(quarantine.state, 'proving')
  prove(quarantine, 1)
  assert.equal(quarantine.state, 'free')
})

test('each further invalid reply doubles the time, up to an hour', () => {
  const clock = createManualClock()
  const quarantine = createQuarantine(clock)
  const times: number[] = []
  for (let i = 0; i < 8; i++) {
    quarantine.invalidReply()
    times.push(quarantine.leftMs / minute)
    clock.advance(quarantine.leftMs)
  }
  assert.deepEqual(times, [1, 2, 4, 8, 16, 32, 60, 60])
})

test('an invalid reply while proving restarts the quarantine; a late one while shut changes nothing', () => {
  const clock = createManualClock()
  const quarantine = createQuarantine(clock)
  quarantine.invalidReply()
  quarantine.invalidReply()
  assert.equal(quarantine.leftMs, minute)
  clock.advance(minute)
  prove(quarantine, 19)
  quarantine.invalidReply()
  assert.equal(quarantine.leftMs, 2 * minute)
  assert.equal(quarantine.canariesLeft, 20)
})

test('after a day without an invalid reply the time starts at a minute', () => {
  const clock = createManualClock()
  const quarantine = createQuarantine(clock)
  quarantine.invalidReply()
  clock.advance(minute)
  quarantine.invalidReply()
  clock.advance(24 * 60 * minute)
  prove(quarantine, 20)
  quarantine.invalidReply()
  assert.equal(quarantine.leftMs, minute)
})
