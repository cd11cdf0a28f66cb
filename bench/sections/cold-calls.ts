// Cold calls: calls whose state Cairn does not have yet. Their round trips, and their processor time beside the bare prover, which
// sends the same requests and runs the same EVM without Cairn's other work.
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { createRpcCaller } from '../data/transfers.ts'
import { median, rounds } from '../measure.ts'
import { cpuUs } from '../processes.ts'
import type { CallRig } from '../servers/call-rig.ts'
import { startProgram } from '../servers/start-program.ts'

export type Request = { readonly to: string; readonly data: string }

/** Of each reply of the upstream. */
export const delayMs = 20
/** Calls that warm the code up; calls of each round one at a time, and `lanes` at a time. */
const warmUp = 60
const alone = 20
const together = 56
const lanes = 8

/** `idleUs`: processor time of the idle server per millisecond. */
type Target = { readonly url: string; readonly pid: number; readonly idleUs: number }

export function cairnOf({ cairn: { port, paths, pid } }: CallRig): Target {
  return { url: `http://127.0.0.1:${port}${paths[0] ?? ''}`, pid, idleUs: 0 }
}

/** Number of contracts that `runCold` calls. */
export function coldCallCount(bench: Bench): number {
  return bench.calls(warmUp) + rounds * (bench.calls(alone) + bench.calls(together))
}

/** The first call to each quoter, with an upstream that delays each reply. */
export async function runCold(bench: Bench, rig: CallRig): Promise<void> {
  const { report } = bench
  const { node } = rig
  await using stack = new AsyncDisposableStack()
  const floor = await startProgram('./bare-prover-server.ts', node.url)
  stack.defer(() => floor.stop())
  const cairn = cairnOf(rig)
  const targets = [
    { ...cairn, idleUs: await idleCpu(cairn.pid) },
    { url: `http://127.0.0.1:${floor.port}/`, pid: floor.pid, idleUs: await idleCpu(floor.pid) },
  ] as const
  const left = rig.world.quoters.slice(1).map((to): Request => ({ to, data: '0x' }))
  const next = (count: number) => left.splice(0, bench.calls(count))
  const warm = next(warmUp)
  for (const target of targets) await callEach(rig, target, warm)
  node.delayMs = delayMs
  const [ms, trips]: [number[], number[]] = [[], []]
  const aloneMs: number[][] = []
  const togetherMs: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const requests = next(alone)
    const measured = []
    for (const target of targets) measured.push(await callEach(rig, target, requests))
    ms.push(...(measured[0]?.ms ?? []))
    trips.push(...(measured[0]?.trips ?? []))
    aloneMs.push(measured.map(({ cpuMs }) => cpuMs))
    const concurrent = next(together)
    const busy = []
    for (const target of targets) busy.push(await callTogether(rig, target, concurrent))
    togetherMs.push(busy)
  }
  node.delayMs = 0
  report.figure(`31 slots, cold, upstream of ${delayMs} ms: p50`, median(ms), ' ms')
  report.figure('31 slots, cold: round trips, at most', Math.max(...trips), '', { atMost: 2 })
  reportCpu('31 slots, cold', aloneMs)
  reportCpu(`31 slots, cold, ${lanes} at a time`, togetherMs)

  /** `each`: of Cairn and of the bare prover, by round. */
  function reportCpu(name: string, each: readonly (readonly number[])[]): void {
    const of = (target: number) => median(each.map((round) => round[target] ?? Number.NaN))
    const ratios = each.map(([own = Number.NaN, bare = Number.NaN]) => own / bare)
    report.figure(`${name}: CPU of Cairn`, of(0), ' ms', { atMost: 5 })
    report.figure(`${name}: CPU of the bare prover`, of(1), ' ms')
    report.figure(`${name}: CPU of Cairn / bare prover`, median(ratios), '', { atMost: 1.5 })
  }
}

/** Sends calls one after the other. `cpuMs`: processor time of a call, the mean. Throws if a reply differs from geth's. */
export async function callEach(
  { node, gethPort }: CallRig,
  { url, pid, idleUs }: Target,
  requests: readonly Request[],
): Promise<{
  readonly ms: readonly number[]
  readonly trips: readonly number[]
  readonly cpuMs: number
}> {
  const callTarget = createRpcCaller(url)
  const callGeth = createRpcCaller(`http://127.0.0.1:${gethPort}`)
  const ms: number[] = []
  const trips: number[] = []
  let cpu = 0
  for (const request of requests) {
    const expected = await callGeth('eth_call', [request, 'latest'])
    node.forget()
    const cpuBefore = cpuUs(pid)
    const begun = performance.now()
    const result = await callTarget('eth_call', [request, 'latest'])
    const elapsedMs = performance.now() - begun
    cpu += cpuUs(pid) - cpuBefore - idleUs * elapsedMs
    if (result !== expected) throw new Error(`${JSON.stringify(request)} gave ${String(result)}`)
    ms.push(elapsedMs)
    trips.push(Math.max(0, ...node.calls.map(({ depth }) => depth)))
  }
  return { ms, trips, cpuMs: cpu / requests.length / 1_000 }
}

/** Sends calls, `lanes` at a time. Returns the mean processor time of a call in milliseconds. Throws as `callEach`. */
async function callTogether(
  { gethPort }: CallRig,
  { url, pid }: Target,
  requests: readonly Request[],
): Promise<number> {
  const callTarget = createRpcCaller(url)
  const callGeth = createRpcCaller(`http://127.0.0.1:${gethPort}`)
  const expected: unknown[] = []
  for (const request of requests) expected.push(await callGeth('eth_call', [request, 'latest']))
  const left = requests.entries()
  const cpuBefore = cpuUs(pid)
  const callNext = async () => {
    for (const [index, request] of left) {
      const result = await callTarget('eth_call', [request, 'latest'])
      if (result !== expected[index]) throw new Error(`${request.to} gave ${String(result)}`)
    }
  }
  await Promise.all(Array.from({ length: lanes }, callNext))
  return (cpuUs(pid) - cpuBefore) / requests.length / 1_000
}

/** Processor time of an idle server in microseconds per millisecond. */
async function idleCpu(pid: number): Promise<number> {
  await wait(500)
  const [before, begun] = [cpuUs(pid), performance.now()]
  await wait(2_000)
  return (cpuUs(pid) - before) / (performance.now() - begun)
}
