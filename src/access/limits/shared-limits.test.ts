// Limits whose shares and sums are stored in another process.
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import {
  createFailedAuthentications,
  createFailedSignIns,
  guardAuthentication,
} from './failed-attempts.ts'
import { createLimiter, type KeyLimits } from './limiter.ts'
import { createMemoryShares } from './memory-shares.ts'
import { createPathLimits } from './path-limits.ts'
import { type SharedCounters, createMemoryCounters } from './period-count.ts'
import type { RateShares } from './rate-shares.ts'
import { createTransferMeters, type QuotaHolder } from './transfer-meters.ts'

const unlimited: KeyLimits = {
  unitsPerSecond: null,
  unitsPerDay: null,
  filesReadsPerSecond: null,
  filesWritesPerSecond: null,
}
const key = (limits: Partial<KeyLimits>) => ({
  keyId: 'k',
  settings: { ...unlimited, ...limits },
})
const code = (expected: FaultCode) => (thrown: unknown) =>
  thrown instanceof Fault && thrown.code === expected

/** Shares and counters of two nodes. */
function remote() {
  const clock = createManualClock()
  const memory = createMemoryShares({ clock, aheadMs: 50 })
  const shares: RateShares = {
    ...memory,
    async take(...args) {
      await setImmediate()
      return memory.take(...args)
    },
    refillMs: async (...args) => memory.refillMs(...args),
  }
  const sums = createMemoryCounters(clock)
  const counters: SharedCounters = { add: async (...args) => sums.add(...args) }
  return { clock, shares, counters }
}

test('two nodes spend one rate of a key, and its refusal is the same as on one node', async () => {
  const { clock, shares, counters } = remote()
  const [one, other] = [0, 1].map(() =>
    createLimiter({ clock, shares, counters, unitsToday: async () => 0 }),
  ) as [ReturnType<typeof createLimiter>, ReturnType<typeof createLimiter>]
  const holder = key({ unitsPerSecond: 500 })
  await one.admitUnits(holder, 4000)
  await other.admitUnits(holder, 4001)
  await assert.rejects(async () => one.admitUnits(holder, 1000), {
    code: 'over_rate',
    data: {
      rate: { allowed_rps: 500, current_rps: 563, backoff_seconds: 2 },
      event: -33300,
      details: 'this key is limited to 500 units per second',
    },
  })
  await assert.rejects(async () => other.checkUnits(holder, 1000), code('over_rate'))
  assert.throws(() => one.admitUnits(holder, 9000), code('over_burst'))
  clock.advance(2000)
  await one.checkUnits(holder, 1000)
  await one.admitUnits(holder, 1000)
})

test('two nodes spend one day of a key, refused rates do not count for it', async () => {
  const { clock, shares, counters } = remote()
  const [one, other] = [0, 1].map(() =>
    createLimiter({ clock, shares, counters, unitsToday: async () => 40 }),
  ) as [ReturnType<typeof createLimiter>, ReturnType<typeof createLimiter>]
  const holder = key({ unitsPerDay: 100, unitsPerSecond: 1 })
  await one.admitUnits(holder, 30)
  clock.advance(200)
  await setImmediate()
  await other.admitUnits(holder, 20)
  clock.advance(200)
  await setImmediate()
  await assert.rejects(async () => one.admitUnits(holder, 20), code('over_quota'))
  assert.equal((await one.remaining(holder)).today, 10)
  other.refundUnits(holder, 20)
  clock.advance(200)
  await setImmediate()
  await one.admitUnits(holder, 30)
  other.chargeUnits(holder, 0)
  clock.advance(86_400_000)
  other.chargeUnits(holder, 70)
})

test('two nodes spend the rates of commands and of gateway requests', async () => {
  const { clock, shares, counters } = remote()
  const limiter = createLimiter({ clock, shares, counters, unitsToday: () => 0 })
  const reads = key({ filesReadsPerSecond: 2 })
  await Promise.all([limiter.admitFiles(reads, 'read'), limiter.admitFiles(reads, 'read')])
  await assert.rejects(async () => limiter.admitFiles(reads, 'read'), code('over_rate'))
  const [one, other] = [0, 1].map(() =>
    createPathLimits({
      clock,
      shares,
      perSecond: () => 2,
      blocksPerSecond: () => 2,
      streamsMax: () => 10,
      streamsPerReaderMax: () => 10,
    }),
  )
  const reader = { keyId: 'k', address: '' }
  await one?.admit(reader)
  ;(await other?.admit(reader))?.()
  await assert.rejects(async () => one?.admit(reader), code('over_rate'))
})

test('wrong keys count on both nodes, and a node learns of the other at its next one', async () => {
  const { clock, shares } = remote()
  const [one, other] = [0, 1].map(() =>
    createFailedAuthentications({ clock, shares, perMinute: () => 2 }),
  ) as [
    ReturnType<typeof createFailedAuthentications>,
    ReturnType<typeof createFailedAuthentications>,
  ]
  await one.count('a')
  const refuse = guardAuthentication((): Promise<never> | never => {
    throw new Fault('bad_key')
  }, other)
  await assert.rejects(async () => refuse('key', null, 'a'), code('bad_key'))
  assert.ok(other.isUnder('a'))
  await assert.rejects(async () => refuse('key', null, 'a'), code('over_rate'))
  assert.ok(!other.isUnder('a'))
  clock.advance(60_000)
  assert.ok(other.isUnder('a'))
})

test('failed sign-ins count on both nodes; a refused one counts for no name and address', async () => {
  const { shares, clock } = remote()
  const [one, other] = [0, 1].map(() => createFailedSignIns({ clock, shares, perHour: () => 60 }))
  for (let n = 0; n < 5; n++) {
    await one?.begin('192.0.2.1', 'ada')
    await other?.begin('192.0.2.2', 'ada')
  }
  for (let n = 0; n < 100; n++) {
    await assert.rejects(async () => one?.begin('192.0.2.3', 'ada'), code('over_rate'))
  }
  const takeBack = await other?.begin('192.0.2.3', 'grace')
  takeBack?.()
  takeBack?.()
  for (let n = 0; n < 10; n++) await one?.begin('192.0.2.3', 'grace')
  await assert.rejects(async () => other?.begin('192.0.2.4', 'grace'), code('over_rate'))
})

test('two nodes spend one month of bytes', async () => {
  const { clock, counters } = remote()
  const none = {
    filesUploadBytesPerMonth: null,
    filesDownloadBytesPerMonth: null,
    filesStoredBytes: null,
  }
  const holder: QuotaHolder = {
    keyId: 'k',
    accountId: 'a',
    settings: { ...none, filesBodyBytes: null, filesUploads: null },
    quotas: { ...none, filesUploadBytesPerMonth: 1000, filesStoredBytes: 5_000 },
  }
  const [one, other] = [0, 1].map(() =>
    createTransferMeters({
      clock,
      counters,
      transferred: async () => ({ up: 100, down: 0 }),
      keysOf: async () => ['k'],
      storedBytes: async () => 4_500,
      reservedBytes: () => 0,
      uploadsPerKeyMax: () => 16,
    }),
  )
  const request = { declaredBytes: 500, stores: false }
  const meter = await one?.open(holder, request)
  meter?.upload(500)
  meter?.end({ in: 500, out: 0 })
  clock.advance(200)
  await setImmediate()
  await assert.rejects(async () => other?.open(holder, request), code('over_quota'))
  const less = await other?.open(holder, { declaredBytes: 400, stores: true })
  less?.upload(400)
  clock.advance(200)
  await setImmediate()
  await assert.rejects(
    async () => one?.open(holder, { declaredBytes: 1, stores: false }),
    code('over_quota'),
  )
})
