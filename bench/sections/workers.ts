// Worker processes: cost of a cached call with two workers, compared with a single process, and over new connections.
import type { Bench } from '../bench.ts'
import { contracts, createUpstreamWorld } from '../data/upstream-world.ts'
import { storage } from '../data/read-calls.ts'
import { type Plan, rpcCall } from '../load/plan.ts'
import { measureAlternating, ratio } from '../measure.ts'
import { startFrontCairn, startUpstream, type FrontCairn } from '../servers/upstream.ts'

const slotCount = 2048
const callsEach = 100_000
const connections = 64
const workers = 2

export async function runWorkers(bench: Bench): Promise<void> {
  bench.report.section('Workers: cached calls')
  await using stack = new AsyncDisposableStack()
  const upstream = await startUpstream(slotCount, 1)
  stack.defer(() => upstream.stop())
  const servers: FrontCairn[] = []
  for (const number of [0, workers]) {
    const cairn = await startFrontCairn(upstream, slotCount, { profiled: false, workers: number })
    stack.defer(() => cairn.stop())
    servers.push(cairn)
  }
  await compareCached(bench, servers)
}

async function compareCached(bench: Bench, servers: readonly FrontCairn[]): Promise<void> {
  const { report, loader } = bench
  const world = createUpstreamWorld(slotCount, 1)
  const calls = world
    .slots(contracts.cached)
    .map(({ slot, value }) =>
      rpcCall(storage, [contracts.cached, slot, 'latest'], JSON.stringify(value), value),
    )
  const targets = servers.map(({ pid, port, paths }) => ({
    name: storage,
    pid,
    plan: {
      port,
      paths,
      calls,
      ids: 'varied',
      connections,
      count: bench.calls(callsEach),
      rate: null,
    } satisfies Plan,
  }))
  // Each worker has its own caches.
  const warmUp = bench.calls(callsEach)
  const [one = [], shared = []] = await measureAlternating(loader, targets, { warmUp })
  report.target(`${storage}, cached, one process`, one)
  report.target(`${storage}, cached, ${workers} workers`, shared)
  report.figure(
    `CPU per cached call, ${workers} workers / one process`,
    ratio(shared, one, 'cpuUsPerCall'),
    '',
    { atMost: 1.2 },
  )
  report.figure(
    `cached calls a second, ${workers} workers / one process`,
    ratio(shared, one, 'callsPerSecond'),
    '',
  )
}
