// Networks behind upstream nodes: the latency that Cairn adds to a call that it forwards and proves, the number of upstream calls,
// and the cost of cached answers. The upstream is a small server with prepared replies.
import type { Bench } from '../bench.ts'
import { contract, slotsOf } from '../data/genesis.ts'
import { storage } from '../data/read-calls.ts'
import { contracts, createUpstreamWorld, type UpstreamWorld } from '../data/upstream-world.ts'
import { zipfPicks } from '../data/zipf.ts'
import { rpcCall, type Call, type Plan } from '../load/plan.ts'
import { measure, measureAlternating, median, ratio, rounds, type Measured } from '../measure.ts'
import { startProfile, stopProfile } from '../profile.ts'
import type { Server } from '../servers/bare.ts'
import {
  type FrontCairn,
  startFrontCairn,
  startHop,
  startUpstream,
  type Upstream,
} from '../servers/upstream.ts'

const slotCount = 10_000
/** Warm-up calls: V8 optimizes the code of a new server for many thousand calls. */
const missesOfYoung = 7200
const missesBetween = 13_200
const missesEach = 600
/** The upstream alone takes twice as long in half of the rounds, depending on the core of its client. */
const missRounds = 9
/** Keys, each read once: by a new server, by a warm one, and in the warm-up. */
const missSlots = missesOfYoung + missesBetween + (rounds + missRounds) * missesEach
const cachedSlots = 2048
const hotClients = 1000
/** Long enough that all clients have sent their request before the first answer. */
const hotDelayMs = 300

type Rig = {
  readonly bench: Bench
  readonly world: UpstreamWorld
  readonly upstream: Upstream
  readonly cairn: FrontCairn
}

export async function runUpstream(bench: Bench): Promise<void> {
  const upstream = await startUpstream(slotCount, missSlots)
  try {
    const { profile } = bench.options
    const cairn = await startFrontCairn(upstream, cachedSlots, { profiled: profile })
    try {
      const rig = { bench, world: createUpstreamWorld(slotCount, missSlots), upstream, cairn }
      await runMiss(rig)
      if (profile) return
      await runMix(rig)
      await runHot(rig)
      await runCachedBehind(rig)
    } finally {
      await cairn.stop()
    }
  } finally {
    await upstream.stop()
  }
}

function readOf(
  address: string,
  { slot, value }: { readonly slot: string; readonly value: string },
): Call {
  return rpcCall(storage, [address, slot, 'latest'], JSON.stringify(value), value)
}

function planOf(port: number, paths: readonly string[], calls: readonly Call[]): Plan {
  return { port, paths, calls, ids: 'varied', connections: 1, count: calls.length, rate: null }
}

/** Reads each key once through Cairn, directly, and through a bare hop, over one connection. */
async function runMiss(rig: Rig): Promise<void> {
  const { bench, upstream } = rig
  bench.report.section('Upstream: cache miss with proof')
  const hop = await startHop(upstream)
  try {
    await compareMiss(rig, hop)
  } finally {
    await hop.stop()
  }
}

async function compareMiss({ bench, world, upstream, cairn }: Rig, hop: Server): Promise<void> {
  const { report } = bench
  const slots = world.slots(contracts.miss)
  const ownCalls = slots.map((slot) => readOf(contracts.miss, slot))
  const block = { blockHash: world.blockHash }
  const direct = slots.map(({ slot }) => {
    const params = [contracts.miss, [slot], block]
    return rpcCall('eth_getProof', params, world.proof(contracts.miss, [slot]), '')
  })
  const lines: readonly MissTarget[] = [
    { pid: upstream.pid, port: upstream.port, paths: ['/'], calls: direct },
    { pid: hop.pid, port: hop.port, paths: ['/'], calls: direct },
    { pid: cairn.pid, port: cairn.port, paths: cairn.paths, calls: ownCalls },
  ]
  const each = bench.calls(missesEach)
  const measureMisses = createMissMeasurement(bench, upstream, lines)
  await measureMisses(bench.calls(missesOfYoung) / each, each)
  const young = await measureMisses(rounds, each)
  await measureMisses(bench.calls(missesBetween) / each, each)
  if (bench.options.profile) await startProfile(cairn.pid)
  const [near = [], bare = [], far = []] = await measureMisses(missRounds, each)
  if (bench.options.profile) {
    for (const line of await stopProfile(cairn.pid, cairn.profileFile)) report.note(line)
  }
  report.target('eth_getProof of the upstream itself', near)
  report.target('eth_getProof through a bare hop', bare)
  report.target(`${storage}, proved`, far)
  report.figure('bare hop: added to the p50 of the same call', added(near, bare), ' us')
  report.figure('miss: added to the p50 of the same call', added(near, far), ' us')
  const ratioToHop = added(near, far) / added(near, bare)
  report.figure('miss / bare hop: added to the p50', ratioToHop, '', { atMost: 1.6 })
  report.figure('miss: CPU of Cairn', median(far.map((one) => one.cpuUsPerCall)), ' us')
  const [youngNear = [], youngBare = [], youngFar = []] = young
  report.figure('bare hop, after 7,000 calls', added(youngNear, youngBare), ' us')
  report.figure('miss, after 7,000 calls', added(youngNear, youngFar), ' us')
}

type MissTarget = Pick<Plan, 'port' | 'paths' | 'calls'> & { readonly pid: number }

/** Rounds of first reads, with alternating targets. Asserts that every call reaches the upstream. */
function createMissMeasurement(
  { loader }: Bench,
  upstream: Upstream,
  targets: readonly MissTarget[],
) {
  let from = 0
  return async (times: number, each: number): Promise<readonly (readonly Measured[])[]> => {
    const measured: Measured[][] = targets.map(() => [])
    for (let round = 0; round < times; round++) {
      await upstream.counts()
      for (const [at, { pid, port, paths, calls }] of targets.entries()) {
        const plan = planOf(port, paths, calls.slice(from, from + each))
        measured[at]?.push(await measure(loader, { name: storage, pid, plan }))
      }
      const upstreamCalls = (await upstream.counts())['eth_getProof'] ?? 0
      if (upstreamCalls < each * targets.length)
        throw new Error(`${each * targets.length - upstreamCalls} misses were none`)
      from += each
    }
    return measured
  }
}

function added(near: readonly Measured[], all: readonly Measured[]): number {
  return median(all.map(({ p50Ms }, round) => p50Ms - (near[round]?.p50Ms ?? 0))) * 1000
}

/** Calls with the distribution of clients: few keys often, many rarely. */
async function runMix({ bench, world, upstream, cairn }: Rig): Promise<void> {
  const { report } = bench
  report.section('Upstream: number of calls')
  const count = bench.calls(50_000)
  const slots = world.slots(contracts.mix)
  const picks = zipfPicks(slots.length, count)
  const calls = picks.map((at) => readOf(contracts.mix, slots[at] ?? { slot: '', value: '' }))
  await upstream.counts()
  const plan = { ...planOf(cairn.port, cairn.paths, calls), connections: 64 }
  const measured = await measure(bench.loader, { name: 'mix', pid: cairn.pid, plan })
  report.target(`${storage}, ${slots.length} keys by Zipf, 64 connections`, [measured])
  const upstreamCalls = (await upstream.counts())['eth_getProof'] ?? 0
  const distinct = new Set(picks).size
  report.figure('upstream calls for 1000 client calls', (upstreamCalls * 1000) / count, '')
  report.figure('distinct keys in 1000 client calls', (distinct * 1000) / count, '')
  report.figure('upstream calls / distinct keys', upstreamCalls / distinct, '', { atMost: 1 })
}

/** One new key, read by all clients at the same time. */
async function runHot({ bench, world, upstream, cairn }: Rig): Promise<void> {
  const { report, loader } = bench
  const [slot = { slot: '', value: '' }] = world.slots(contracts.hot)
  await upstream.delay(hotDelayMs)
  await upstream.counts()
  const call = readOf(contracts.hot, slot)
  const plan = { ...planOf(cairn.port, cairn.paths, [call]), connections: hotClients }
  const measured = await measure(loader, {
    name: 'hot',
    pid: cairn.pid,
    plan: { ...plan, count: hotClients },
  })
  await upstream.delay(0)
  report.target(`${hotClients} clients, one key, upstream of ${hotDelayMs} ms`, [measured])
  const upstreamCalls = (await upstream.counts())['eth_getProof'] ?? 0
  report.figure(`upstream calls for ${hotClients} clients of one key`, upstreamCalls, '', {
    atMost: 1,
  })
}

/** Cached answers of the network behind the upstream and of the embedded chain, alternating. */
async function runCachedBehind({ bench, world, cairn }: Rig): Promise<void> {
  const { report } = bench
  report.section('Upstream: cached answers')
  const target = (name: string, paths: readonly string[], calls: readonly Call[]) => ({
    name,
    pid: cairn.pid,
    plan: {
      ...planOf(cairn.port, paths, calls),
      connections: 64,
      count: bench.calls(60_000),
    },
  })
  const farSlots = world.slots(contracts.cached).slice(0, cachedSlots)
  const farCalls = farSlots.map((slot) => readOf(contracts.cached, slot))
  const nearCalls = slotsOf(cachedSlots).map((slot) => readOf(contract, slot))
  const behind = target('behind the upstream', cairn.paths, farCalls)
  const embedded = target('embedded', cairn.embeddedPaths, nearCalls)
  const [far = [], near = []] = await measureAlternating(bench.loader, [behind, embedded], {
    warmUp: bench.calls(20_000),
  })
  report.target(`${storage}, ${behind.name}`, far)
  report.target(`${storage}, ${embedded.name}`, near)
  report.figure('cached: CPU embedded / behind an upstream', ratio(near, far, 'cpuUsPerCall'), '', {
    atLeast: 0.9,
  })
}
