// Networks behind upstream nodes: what Cairn adds to a call that it must hand on and prove, how often it asks, and
// what an answer that was proved before costs. The upstream is a small server of the bench with replies made ready.
import type { Bench } from '../bench.ts'
import { contract } from '../data/genesis.ts'
import { storage } from '../data/read-calls.ts'
import { contracts, createUpstreamWorld, type UpstreamWorld } from '../data/upstream-world.ts'
import { zipfPicks } from '../data/zipf.ts'
import { rpcCall, type Call, type Plan } from '../load/plan.ts'
import { measure, measureInTurns, median, ratio, rounds, type Measured } from '../measure.ts'
import { startProfile, stopProfile } from '../profile.ts'
import {
  type FrontCairn,
  startFrontCairn,
  startUpstream,
  type Upstream,
} from '../servers/upstream.ts'

const slotCount = 10_000
const cachedSlots = 2048
const hotClients = 1000
/** Long enough that all clients have asked before the first answer comes. */
const hotDelayMs = 300

type Rig = {
  readonly bench: Bench
  readonly world: UpstreamWorld
  readonly upstream: Upstream
  readonly cairn: FrontCairn
}

export async function runUpstream(bench: Bench): Promise<void> {
  const upstream = await startUpstream(slotCount)
  try {
    const { profile } = bench.options
    const cairn = await startFrontCairn(upstream, cachedSlots, { profiled: profile })
    try {
      const rig = { bench, world: createUpstreamWorld(slotCount), upstream, cairn }
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

/** Each key is asked for once of Cairn and once of the upstream itself, over one connection. */
async function runMiss({ bench, world, upstream, cairn }: Rig): Promise<void> {
  const { report, loader } = bench
  report.section('Upstream: a miss, proof included')
  const each = bench.calls(1000)
  const warm = bench.calls(3000)
  const slots = world.slots.slice(0, warm + rounds * each)
  const own = slots.map((slot) => readOf(contracts.miss, slot))
  const block = { blockHash: world.blockHash }
  const direct = slots.map(({ slot }) => {
    const params = [contracts.miss, [slot], block]
    return rpcCall('eth_getProof', params, world.proof(contracts.miss, [slot]), '')
  })
  const far = { pid: cairn.pid, port: cairn.port, paths: cairn.paths, calls: own }
  const near = { pid: upstream.pid, port: upstream.port, paths: ['/'], calls: direct }
  for (const { port, paths, calls } of [near, far]) {
    await loader.run(planOf(port, paths, calls.slice(0, warm)))
  }
  if (bench.options.profile) await startProfile(cairn.pid)
  const measured: { readonly near: Measured[]; readonly far: Measured[] } = { near: [], far: [] }
  for (let round = 0; round < rounds; round++) {
    const from = warm + round * each
    for (const [name, { pid, port, paths, calls }] of Object.entries({ near, far })) {
      const plan = planOf(port, paths, calls.slice(from, from + each))
      measured[name as 'near' | 'far'].push(await measure(loader, { name, pid, plan }))
    }
  }
  if (bench.options.profile) {
    for (const line of await stopProfile(cairn.pid, cairn.profileFile)) report.note(line)
  }
  report.target('eth_getProof of the upstream itself', measured.near)
  report.target(`${storage}, proved`, measured.far)
  const added = measured.far.map(({ p50Ms }, round) => p50Ms - (measured.near[round]?.p50Ms ?? 0))
  report.figure('miss: added to the p50 of the same call', median(added) * 1000, ' us', {
    atMost: 150,
  })
  report.figure('miss: CPU of Cairn', median(measured.far.map((one) => one.cpuUsPerCall)), ' us')
}

/** Calls picked as clients do: few keys often, many seldom. */
async function runMix({ bench, world, upstream, cairn }: Rig): Promise<void> {
  const { report } = bench
  report.section('Upstream: how often it is asked')
  const count = bench.calls(50_000)
  const picks = zipfPicks(world.slots.length, count)
  const calls = picks.map((at) => readOf(contracts.mix, world.slots[at] ?? { slot: '', value: '' }))
  await upstream.counts()
  const plan = { ...planOf(cairn.port, cairn.paths, calls), connections: 64 }
  const measured = await measure(bench.loader, { name: 'mix', pid: cairn.pid, plan })
  report.target(`${storage}, ${world.slots.length} keys by Zipf, 64 connections`, [measured])
  const asked = (await upstream.counts())['eth_getProof'] ?? 0
  const distinct = new Set(picks).size
  report.figure('upstream calls for 1000 client calls', (asked * 1000) / count, '')
  report.figure('distinct keys in 1000 client calls', (distinct * 1000) / count, '')
  report.figure('upstream calls / distinct keys', asked / distinct, '', { atMost: 1 })
}

/** One key that nobody asked for before, by all clients at the same time. */
async function runHot({ bench, world, upstream, cairn }: Rig): Promise<void> {
  const { report, loader } = bench
  const [slot = { slot: '', value: '' }] = world.slots
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
  const asked = (await upstream.counts())['eth_getProof'] ?? 0
  report.figure(`upstream calls for ${hotClients} clients of one key`, asked, '', { atMost: 1 })
}

/** Answers that were proved before, of the network behind the upstream and of the embedded chain in turns. */
async function runCachedBehind({ bench, world, cairn }: Rig): Promise<void> {
  const { report } = bench
  report.section('Upstream: answers that were proved before')
  const slots = world.slots.slice(0, cachedSlots)
  const target = (name: string, paths: readonly string[], address: string) => ({
    name,
    pid: cairn.pid,
    plan: {
      ...planOf(
        cairn.port,
        paths,
        slots.map((slot) => readOf(address, slot)),
      ),
      connections: 64,
      count: bench.calls(60_000),
    },
  })
  const behind = target('behind the upstream', cairn.paths, contracts.cached)
  const embedded = target('embedded', cairn.embeddedPaths, contract)
  const [far = [], near = []] = await measureInTurns(bench.loader, [behind, embedded], {
    warmUp: bench.calls(20_000),
  })
  report.target(`${storage}, ${behind.name}`, far)
  report.target(`${storage}, ${embedded.name}`, near)
  report.figure('cached: CPU embedded / behind an upstream', ratio(near, far, 'cpuUsPerCall'), '', {
    atLeast: 0.9,
  })
}
