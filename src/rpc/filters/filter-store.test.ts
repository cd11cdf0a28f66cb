import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { testFilterStore } from '../../../test/suites/filter-store.suite.ts'
import { createMemoryFilters, defaultFiltersLimits } from './filter-store.ts'

testFilterStore('memory', (_t, limits) => {
  const clock = createManualClock()
  const store = createMemoryFilters(clock, limits)
  return { one: store, other: store, pass: clock.advance }
})

test('filters of a process are limited in total', () => {
  const store = createMemoryFilters(createManualClock(), { ...defaultFiltersLimits, totalMax: 2 })
  const filter = { network: 'dev', query: null, place: '' }
  void store.add('1', { ...filter, keyId: 'a' })
  void store.add('2', { ...filter, keyId: 'b' })
  assert.throws(() => void store.add('3', { ...filter, keyId: 'c' }), { code: 'overloaded' })
})
