// Limits shared by the processes of one machine: the suites over a real link, and a worker while the keeper is unavailable.
import { equal, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testRateShares } from '../../../test/suites/rate-shares.suite.ts'
import { testSharedCounters } from '../../../test/suites/shared-counters.suite.ts'
import { createLimiter } from '../../access/limits/limiter.ts'
import { defaultKeySettings } from '../../access/accounts/key-settings.ts'
import { systemClock as clock } from '../../base/clock.ts'
import { hasCode } from '../../base/fault.ts'
import { silentLog as log } from '../../base/log.ts'
import { createKeeperLink } from './keeper-link.ts'
import { openKeeperSocket } from './keeper-socket.ts'
import {
  createLimitCalls,
  createLinkedLimits,
  createSharedLimits,
  type LimitCalls,
  type SharedLimits,
} from './shared-limits.ts'

async function openLinks(t: TestContext, of: number) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'links')
  const limits = createSharedLimits(clock)
  const keeper = await openKeeperSocket({ path, calls: createLimitCalls(limits), log })
  const workers: SharedLimits[] = []
  for (let number = 0; number < of; number++) {
    const link = createKeeperLink<LimitCalls>({ path, clock, log })
    t.after(() => link.close())
    workers.push(createLinkedLimits({ link, of, clock }))
    // Resolves only when the link is open.
    await link.call('giveShare', { bucket: 'none', units: 0 })
  }
  let isOpen = true
  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await keeper.close()
  }
  t.after(close)
  return { limits, workers, close }
}

testRateShares('workers', async (t) => {
  const { workers } = await openLinks(t, 2)
  const [one, other] = workers.map(({ shares }) => shares)
  ok(one !== undefined && other !== undefined)
  return { one, other, pass: (ms) => new Promise((resolve) => void clock.after(ms, resolve)) }
})

testSharedCounters('workers', async (t) => {
  const { workers } = await openLinks(t, 1)
  const [worker] = workers
  ok(worker !== undefined)
  return worker.counters
})

const holder = {
  keyId: 'k',
  settings: { ...defaultKeySettings, unitsPerSecond: 1, unitsPerDay: 20_000 },
}

function limiterOf({ shares, counters }: SharedLimits) {
  return createLimiter({ clock, unitsToday: () => 0, shares, counters })
}

async function admit(limiter: ReturnType<typeof limiterOf>, units: number): Promise<boolean> {
  try {
    await limiter.admitUnits(holder, units)
    return true
  } catch (error) {
    if (hasCode(error, 'over_rate') || hasCode(error, 'over_quota')) return false
    throw error
  }
}

test('a key has one rate in the keeper and in all workers', async (t) => {
  const { limits, workers } = await openLinks(t, 4)
  const limiters = [limits, ...workers].map(limiterOf)
  // The burst is 8001 units.
  const admitted = await Promise.all(
    Array.from({ length: 100 }, (_, n) => admit(limiters[n % 5] as (typeof limiters)[0], 100)),
  )
  equal(admitted.filter(Boolean).length, 80)
})

test('while the keeper restarts, each worker admits its part of the rate', async (t) => {
  const { workers, close } = await openLinks(t, 2)
  const limiters = workers.map(limiterOf)
  await close()
  const [one, other] = limiters
  ok(one !== undefined && other !== undefined)
  const admitted: boolean[] = []
  for (let n = 0; n < 100; n++) admitted.push(await admit(n % 2 ? one : other, 100))
  // The burst is 8001 units; each process gets half of it.
  equal(admitted.filter(Boolean).length, 80)
  // A request of more units than that half passes too.
  const fresh = { ...holder, keyId: 'fresh' }
  await one.admitUnits(fresh, 8000)
})
