import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import {
  burstOf,
  createLimiter as createAnyLimiter,
  type Holder,
  type KeyLimits,
  type Limiter,
} from './limiter.ts'

const unlimited: KeyLimits = {
  unitsPerSecond: null,
  unitsPerDay: null,
  filesReadsPerSecond: null,
  filesWritesPerSecond: null,
}

function key(limits: Partial<KeyLimits>, keyId = 'k'): Holder {
  return { keyId, settings: { ...unlimited, ...limits } }
}

const isFault = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code

function faultOf(run: () => void): Fault {
  try {
    run()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('no fault was thrown')
}

const noneToday = (): number => 0

/** In a single process, results are synchronous. */
function createLimiter(parts: Parameters<typeof createAnyLimiter>[0]) {
  const limiter = createAnyLimiter(parts)
  return {
    ...limiter,
    admitUnits: (...args: Parameters<Limiter['admitUnits']>) => now(limiter.admitUnits(...args)),
    admitFiles: (...args: Parameters<Limiter['admitFiles']>) => now(limiter.admitFiles(...args)),
  }
}

function now(admitted: void | Promise<void>): void {
  assert.equal(admitted, undefined)
}

test('a key without limits is never refused', () => {
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: noneToday })
  for (let n = 0; n < 100; n++) limiter.admitUnits(key({}), 1e9)
  for (let n = 0; n < 100; n++) limiter.admitFiles(key({}), 'write')
})

test('a key without rates of its own has those of the server, and its own go before them', async () => {
  const rates = { unitsPerSecond: 500, filesReadsPerSecond: 3, filesWritesPerSecond: 2 }
  const clock = createManualClock()
  const limiter = createLimiter({ clock, unitsToday: noneToday, rates: () => rates })
  limiter.admitUnits(key({}), burstOf(500))
  assert.equal(faultOf(() => limiter.admitUnits(key({}), 80)).code, 'over_rate')
  for (let n = 0; n < 2; n++) limiter.admitFiles(key({}), 'write')
  assert.equal(faultOf(() => limiter.admitFiles(key({}), 'write')).code, 'over_rate')
  const own = key({ unitsPerSecond: 1_000_000, filesWritesPerSecond: 100 }, 'own')
  for (let n = 0; n < 50; n++) limiter.admitFiles(own, 'write')
  limiter.admitUnits(own, burstOf(1_000_000))
  assert.equal((await limiter.remaining(key({}, 'fresh'))).atOnce, burstOf(500))
})

test('a full batch passes under any rate; the refusal after it names limit and wait', () => {
  const clock = createManualClock()
  const limiter = createLimiter({ clock, unitsToday: noneToday })
  const holder = key({ unitsPerSecond: 500 })
  limiter.admitUnits(holder, 8001)
  const fault = faultOf(() => limiter.admitUnits(holder, 1000))
  assert.equal(fault.code, 'over_rate')
  assert.equal(fault.message, 'project ID request rate exceeded')
  assert.deepEqual(fault.data, {
    rate: { allowed_rps: 500, current_rps: 563, backoff_seconds: 2 },
    event: -33300,
    details: 'this key is limited to 500 units per second',
  })
  clock.advance(2000)
  limiter.admitUnits(holder, 1000)
  limiter.admitUnits(key({ unitsPerSecond: 500 }, 'other'), 8001)
})

test('the wait is never zero', () => {
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: noneToday })
  const holder = key({ unitsPerSecond: 1_000_000 })
  limiter.admitUnits(holder, 1_000_000)
  const { data } = faultOf(() => limiter.admitUnits(holder, 1))
  assert.partialDeepStrictEqual(data, { rate: { backoff_seconds: 1 } })
})

test('a request that exceeds the burst is refused as over_burst and charges no units', () => {
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: noneToday })
  const holder = key({ unitsPerSecond: 500, unitsPerDay: 1_000_000 })
  const fault = faultOf(() => limiter.admitUnits(holder, 8002))
  assert.equal(fault.code, 'over_burst')
  assert.equal(fault.message, 'request needs 8002 units, limit is 8001')
  limiter.admitUnits(holder, 8001)
  assert.throws(() => limiter.admitUnits(key({ unitsPerSecond: 0 }), 1), isFault('over_burst'))
  assert.equal(burstOf(40_000), 40_000)
})

test('the day ends at 00:00 UTC, and the refusal contains the time', () => {
  const clock = createManualClock(Date.UTC(2026, 0, 31, 23, 59, 0))
  const limiter = createLimiter({ clock, unitsToday: noneToday })
  const holder = key({ unitsPerDay: 100 })
  limiter.admitUnits(holder, 80)
  const fault = faultOf(() => limiter.admitUnits(holder, 21))
  assert.equal(fault.code, 'over_quota')
  assert.deepEqual(fault.data, {
    event: -33000,
    details: 'this key is limited to 100 units per day',
    resets_at: '2026-02-01T00:00:00.000Z',
  })
  limiter.admitUnits(holder, 20)
  assert.throws(() => limiter.admitUnits(holder, 1), isFault('over_quota'))
  clock.advance(60_000)
  limiter.admitUnits(holder, 100)
})

test('a restart does not reset the daily units', () => {
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: () => 95 })
  limiter.admitUnits(key({ unitsPerDay: 100 }), 5)
  assert.throws(() => limiter.admitUnits(key({ unitsPerDay: 100 }), 1), isFault('over_quota'))
})

test('refused for the rate, a request does not count for the day; refunds count for both', () => {
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: noneToday })
  const holder = key({ unitsPerSecond: 10, unitsPerDay: 8011 })
  limiter.admitUnits(holder, 8001)
  assert.throws(() => limiter.admitUnits(holder, 10), isFault('over_rate'))
  limiter.refundUnits(holder, 10)
  limiter.admitUnits(holder, 10)
  limiter.refundUnits(key({ unitsPerSecond: 10 }, 'never seen'), 10)
})

test('a raised rate applies immediately: the debt is paid back at the new rate', () => {
  const clock = createManualClock()
  const limiter = createLimiter({ clock, unitsToday: noneToday })
  limiter.admitUnits(key({ unitsPerSecond: 1 }), 8001)
  const raised = key({ unitsPerSecond: 1000 })
  const { data } = faultOf(() => limiter.admitUnits(raised, 500))
  assert.partialDeepStrictEqual(data, { rate: { backoff_seconds: 1 } })
  clock.advance(500)
  limiter.admitUnits(raised, 500)
  limiter.refundUnits(key({ unitsPerSecond: 1 }), 80)
  limiter.admitUnits(raised, 80)
  assert.throws(() => limiter.admitUnits(raised, 1), isFault('over_rate'))
})

test('units used while a key had no day limit count when it gets one again', () => {
  let charged = 10
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: () => charged })
  limiter.admitUnits(key({ unitsPerDay: 100 }), 10)
  limiter.admitUnits(key({ unitsPerSecond: 500 }), 80)
  limiter.admitUnits(key({}), 5)
  charged = 105
  assert.throws(() => limiter.admitUnits(key({ unitsPerDay: 100 }), 1), isFault('over_quota'))
})

test('file reads and writes have separate rates; 0 refuses all', () => {
  const clock = createManualClock()
  const limiter = createLimiter({ clock, unitsToday: noneToday })
  const holder = key({ filesReadsPerSecond: 2, filesWritesPerSecond: 1 })
  limiter.admitFiles(holder, 'read')
  limiter.admitFiles(holder, 'read')
  limiter.admitFiles(holder, 'write')
  assert.throws(() => limiter.admitFiles(holder, 'read'), isFault('over_rate'))
  assert.throws(() => limiter.admitFiles(holder, 'write'), isFault('over_rate'))
  clock.advance(500)
  limiter.admitFiles(holder, 'read')
  assert.throws(() => limiter.admitFiles(holder, 'write'), isFault('over_rate'))
  const closed = key({ filesWritesPerSecond: 0 })
  assert.throws(() => limiter.admitFiles(closed, 'write'), isFault('refused_by_setting'))
})

test('the number of keys remembered is bounded', () => {
  const limiter = createLimiter({ clock: createManualClock(), unitsToday: noneToday, keysMax: 2 })
  const limits = { unitsPerDay: 1 }
  for (const id of ['a', 'b', 'c']) limiter.admitUnits(key(limits, id), 1)
  assert.throws(() => limiter.admitUnits(key(limits, 'c'), 1), isFault('over_quota'))
  assert.throws(() => limiter.admitUnits(key(limits, 'b'), 1), isFault('over_quota'))
  limiter.admitUnits(key(limits, 'a'), 1)
})
