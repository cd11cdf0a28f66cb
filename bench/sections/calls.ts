// Calls on proved state behind a real geth: the latency that a hot call adds to geth's own eth_call, calls per second of the call
// thread, round trips and processor time of cold calls, and their effect on the reads of another account.
import { setTimeout as wait } from 'node:timers/promises'
import { missingGeth } from '../../test/engines/geth.ts'
import type { Bench } from '../bench.ts'
import { addressOf, balanceData } from '../data/call-world.ts'
import { createRpcCaller } from '../data/transfers.ts'
import { type Call, type Plan, rpcCall } from '../load/plan.ts'
import { type Measured, measure, measureAlternating, median, ratio, rounds } from '../measure.ts'
import { mainThreadUs } from '../processes.ts'
import { startProfile, stopProfile } from '../profile.ts'
import { type CallRig, startCallRig } from '../servers/call-rig.ts'
import { type Request, cairnOf, callEach, coldCallCount, delayMs, runCold } from './cold-calls.ts'

type RpcCaller = ReturnType<typeof createRpcCaller>

/** Calls before the measured ones: V8 optimizes for long. The first 100 calls are compared with the upstream's. */
const warmUp = 4_000
const hotEach = 1_500
const differentCalls = 1_000
const throughputEach = 6_000
const blocks = 20
/** Concurrent calls of another account. */
const coldLanes = 8
/** Many short rounds: a pause of the machine in one of them does not decide the result. */
const fairRounds = 12
const fairSeconds = 3
const fairRate = 1_000
/** No two calls of a run are equal, so that no result is cached. */
const firstGas = 5_000_000

export async function runCalls(bench: Bench): Promise<void> {
  const { report, options } = bench
  report.section('Calls on proved state')
  const missing = missingGeth()
  if (missing !== false) return report.note(`this section is left out: ${missing}`)
  await using stack = new AsyncDisposableStack()
  const rig = await startCallRig(stack, {
    holders: 10_000,
    quoters: 1 + coldCallCount(bench),
    profiled: options.profile,
  })
  const freshCalls = createFreshCalls(rig)
  await runHot(bench, rig, freshCalls)
  if (options.profile) return
  await runSame(bench, rig, freshCalls)
  await runCold(bench, rig)
  await runLearned(bench, rig)
  await runFair(bench, rig)
}

type FreshCalls = (requests: readonly Request[], count: number) => Promise<readonly Call[]>

/** Calls with unique gas limits; the expected results come from geth. */
function createFreshCalls({ gethPort }: CallRig): FreshCalls {
  const call = createRpcCaller(`http://127.0.0.1:${gethPort}`)
  const results = new Map<Request, string>()
  let gas = firstGas
  return async (requests, count) => {
    for (const request of requests) {
      const isRecorded = results.has(request)
      if (!isRecorded) results.set(request, (await call('eth_call', [request, 'latest'])) as string)
    }
    return Array.from({ length: count }, (_, index) => {
      const request = requests[index % requests.length] as Request
      const result = results.get(request) ?? ''
      const params = [{ ...request, gas: `0x${(gas++).toString(16)}` }, 'latest']
      return rpcCall('eth_call', params, JSON.stringify(result), result)
    })
  }
}

/** Hot calls over one connection, alternating with geth; then different calls over several connections. */
async function runHot(bench: Bench, rig: CallRig, freshCalls: FreshCalls): Promise<void> {
  const { report, loader, options } = bench
  const { world, cairn, gethPort } = rig
  const balance = { to: world.token, data: balanceData(world.holders[0] ?? '') }
  const quote = { to: world.quoters[0] ?? '', data: '0x' }
  const behind = (calls: readonly Call[], connections = 1): Plan => ({
    ...planOf(cairn.port, cairn.paths, calls),
    connections,
  })
  for (const [name, request, goal] of [
    ['balanceOf', balance, 1],
    ['6,000 opcodes, 31 slots', quote, 4],
  ] as const) {
    await loader.run(behind(await freshCalls([request], bench.calls(warmUp))))
    if (options.profile) await startProfile(cairn.pid)
    const near: Measured[] = []
    const far: Measured[] = []
    for (let round = 0; round < rounds; round++) {
      const calls = await freshCalls([request], bench.calls(hotEach))
      const direct = planOf(gethPort, ['/'], calls)
      if (!options.profile) near.push(await measure(loader, { name, pid: cairn.pid, plan: direct }))
      far.push(await measure(loader, { name, pid: cairn.pid, plan: behind(calls) }))
    }
    if (options.profile) {
      for (const line of await stopProfile(cairn.pid, cairn.profileFile)) report.note(line)
      continue
    }
    if (near.some(({ failures }) => failures > 0)) throw new Error('geth failed a call')
    report.figure(`${name}, geth: p50`, median(near.map(({ p50Ms }) => p50Ms)), ' ms')
    report.target(`${name}, hot`, far)
    const added = far.map(({ p50Ms }, round) => p50Ms - (near[round]?.p50Ms ?? 0))
    report.figure(`${name}, hot: added to the p50 of geth`, median(added), ' ms', { atMost: goal })
    const times = far.map(({ p50Ms }, round) => p50Ms / (near[round]?.p50Ms ?? Number.NaN))
    report.figure(`${name}, hot: p50 / p50 of geth`, median(times), '')
  }
  const different = world.holders.slice(0, differentCalls).map((holder) => {
    return { to: world.token, data: balanceData(holder) }
  })
  await loader.run(behind(await freshCalls(different, different.length), 16))
  const all: Measured[] = []
  const callThreadUs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const plan = behind(await freshCalls(different, bench.calls(throughputEach)), 16)
    const before = mainThreadUs(cairn.pid)
    const measured = await measure(loader, { name: 'different', pid: cairn.pid, plan })
    all.push(measured)
    const requestUs = (mainThreadUs(cairn.pid) - before) / plan.count
    callThreadUs.push(measured.cpuUsPerCall - requestUs)
  }
  report.target(`${differentCalls} different hot calls in turn, 16 connections`, all)
  const perSecond = median(all.map(({ callsPerSecond }) => callsPerSecond))
  report.figure('different hot calls', perSecond, '/s', { atLeast: 1_500 })
  // Includes the threads of V8. On a busy machine the call thread waits for a processor.
  const threadUs = median(callThreadUs)
  report.figure('different hot calls: CPU of the call thread', threadUs, ' us')
  report.figure('different hot calls for each second of the call thread', 1e6 / threadUs, '', {
    atLeast: 1_500,
  })
}

/** Repeats the same call, and cached reads of the same network. */
async function runSame(bench: Bench, rig: CallRig, freshCalls: FreshCalls): Promise<void> {
  const { report, loader } = bench
  const { cairn } = rig
  const [call] = await freshCalls([{ to: rig.world.quoters[0] ?? '', data: '0x' }], 1)
  const load = { connections: 64, count: bench.calls(60_000) }
  const target = (name: string, calls: readonly Call[]) => ({
    name,
    pid: cairn.pid,
    plan: { ...planOf(cairn.port, cairn.paths, calls), ...load },
  })
  const same = target('the same call on the same block', call === undefined ? [] : [call])
  const reads = target('cached read', [await cachedRead(rig)])
  const [calls = [], cached = []] = await measureAlternating(loader, [same, reads], {
    warmUp: bench.calls(20_000),
  })
  report.target(same.name, calls)
  report.target(reads.name, cached)
  report.figure(
    'the same call / cached read: calls/s',
    ratio(calls, cached, 'callsPerSecond'),
    '',
    {
      atLeast: 0.5,
    },
  )
}

/** A call with an access set known from earlier runs, at each of some new blocks. */
async function runLearned(bench: Bench, rig: CallRig): Promise<void> {
  const { report } = bench
  const { node, world } = rig
  const target = cairnOf(rig)
  const trips: number[] = []
  const times: number[] = []
  for (let block = 0; block < bench.calls(blocks); block++) {
    // A call that repeats at each block is computed in advance.
    await rig.mine()
    await rig.mine()
    node.delayMs = delayMs
    const { ms, trips: learnedTrips } = await callEach(rig, target, [
      { to: world.quoters[1] ?? '', data: '0x' },
    ])
    node.delayMs = 0
    trips.push(...learnedTrips)
    times.push(...ms)
  }
  report.figure('31 slots, learned, at a new block: p50', median(times), ' ms')
  const most = Math.max(...trips)
  report.figure('31 slots, learned, at a new block: round trips, at most', most, '', { atMost: 1 })
  node.delayMs = delayMs
  const unseen = Array.from({ length: bench.calls(blocks) }, (_, index) =>
    addressOf(`new ${index}`),
  )
  const requests = unseen.map((holder) => ({ to: world.token, data: balanceData(holder) }))
  const { trips: learnedTrips } = await callEach(rig, target, requests)
  node.delayMs = 0
  report.figure('balanceOf, learned, another holder: round trips, p50', median(learnedTrips), '', {
    atMost: 1,
  })
}

/**
 * Cached reads of one account at a constant rate, while another account sends cold calls. The upstream uses the same two cores, so
 * the reads are also measured while the same calls go to the upstream without Cairn.
 */
async function runFair(bench: Bench, rig: CallRig): Promise<void> {
  const { report, loader } = bench
  const { cairn, node, world } = rig
  const plan: Plan = {
    ...planOf(cairn.port, cairn.paths, [await cachedRead(rig)]),
    connections: 16,
    rate: fairRate,
    count: bench.calls(fairRate * fairSeconds),
  }
  const callCairn = createRpcCaller(`http://127.0.0.1:${cairn.port}${cairn.otherPath}`)
  const callNode = createRpcCaller(node.url)
  let unseen = 0
  const next = () => ({ to: world.token, data: balanceData(addressOf(`unseen ${unseen++}`)) })
  const coldCall = async () => {
    const result = await callCairn('eth_call', [next(), 'latest'])
    if (BigInt(result as string) !== 0n) throw new Error(`a cold call gave ${String(result)}`)
  }
  const withoutCairn = async () => {
    const slot = balanceData(addressOf(`slot ${unseen++}`))
    await callNode('eth_call', [next(), 'latest'])
    await callNode('eth_getProof', [world.token, [slot], 'latest'])
  }
  const measured: Record<'alone' | 'upstream' | 'cold', Measured[]> = {
    alone: [],
    upstream: [],
    cold: [],
  }
  let sent = 0
  node.delayMs = delayMs
  await whileBusy(coldCall, () => wait(1_000))
  for (let round = 0; round < fairRounds; round++) {
    const run = () => measure(loader, { name: 'reads', pid: cairn.pid, plan })
    measured.alone.push(await run())
    measured.upstream.push((await whileBusy(withoutCairn, run)).result)
    const { result, count } = await whileBusy(coldCall, run)
    measured.cold.push(result)
    sent += count / (result.elapsedMs / 1_000)
  }
  node.delayMs = 0
  report.target('cached reads of one account, alone', measured.alone)
  report.target('cached reads, load on the upstream alone', measured.upstream)
  report.target('cached reads, cold calls of another account', measured.cold)
  report.figure('cold calls meanwhile', sent / fairRounds, '/s')
  const p99 = (of: keyof typeof measured) => median(measured[of].map(({ p99Ms }) => p99Ms))
  report.figure('p99 of cached reads: cold calls / alone', p99('cold') / p99('alone'), '')
  const toUpstream = p99('cold') / p99('upstream')
  report.figure('p99 of cached reads: cold calls / load on the upstream', toUpstream, '', {
    atMost: 1.1,
  })
}

/** Runs `work` while lanes repeat `once`. */
async function whileBusy<T>(
  once: () => Promise<void>,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly count: number }> {
  let busy = true
  let count = 0
  const lanes = Array.from({ length: coldLanes }, async () => {
    while (busy) {
      await once()
      count++
    }
  })
  try {
    return { result: await work(), count }
  } finally {
    busy = false
    await Promise.all(lanes)
  }
}

async function cachedRead({ cairn, world }: CallRig): Promise<Call> {
  const call: RpcCaller = createRpcCaller(`http://127.0.0.1:${cairn.port}${cairn.paths[0] ?? ''}`)
  const params = [world.quoters[0] ?? '', '0x0', 'latest']
  const value = (await call('eth_getStorageAt', params)) as string
  return rpcCall('eth_getStorageAt', params, JSON.stringify(value), value)
}

function planOf(port: number, paths: readonly string[], calls: readonly Call[]): Plan {
  return { port, paths, calls, ids: 'varied', connections: 1, count: calls.length, rate: null }
}
