import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { createExclusions, excludedMax, excludedMs } from './node.ts'

test('10,000 peers are excluded, each for ten minutes', () => {
  const clock = createManualClock()
  const exclusions = createExclusions(clock)
  for (let at = 0; at <= excludedMax; at += 1) exclusions.add(`peer${at}`)
  equal(exclusions.excludedPeers, excludedMax)
  equal(exclusions.isExcluded('peer0'), false)
  equal(exclusions.isExcluded('peer1'), true)
  clock.advance(excludedMs)
  equal(exclusions.isExcluded('peer1'), false)
  equal(exclusions.excludedPeers, excludedMax - 1)
})
