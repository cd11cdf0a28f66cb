// Measures targets under a plan and computes medians over rounds. Targets alternate within each round, and ratios are computed per
// round, so that other load on the machine affects all of them.
import type { Loader } from './load/loader.ts'
import type { Outcome, Plan } from './load/plan.ts'
import { cpuUs, rssMiB } from './processes.ts'

export type Measured = Outcome & {
  readonly callsPerSecond: number
  readonly cpuUsPerCall: number
  readonly rssMiB: number
}

export type Target = { readonly name: string; readonly pid: number; readonly plan: Plan }

export const rounds = 3

export async function measure(loader: Loader, { pid, plan }: Target): Promise<Measured> {
  const before = cpuUs(pid)
  const outcome = await loader.run(plan)
  return {
    ...outcome,
    callsPerSecond: (outcome.count / outcome.elapsedMs) * 1000,
    cpuUsPerCall: (cpuUs(pid) - before) / outcome.count,
    rssMiB: rssMiB(pid),
  }
}

/** `measured[target][round]`; every target is warmed up first by `warmUp` calls. */
export async function measureAlternating(
  loader: Loader,
  targets: readonly Target[],
  { warmUp, between }: { readonly warmUp: number; readonly between?: (round: number) => void },
): Promise<readonly (readonly Measured[])[]> {
  for (const { plan } of warmUp === 0 ? [] : targets) {
    await loader.run({ ...plan, count: warmUp, rate: null })
  }
  const measured: Measured[][] = targets.map(() => [])
  for (let round = 0; round < rounds; round++) {
    between?.(round)
    for (const [at, target] of targets.entries()) {
      measured[at]?.push(await measure(loader, target))
    }
  }
  return measured
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Median over rounds of `a / b`, computed per round. */
export function ratio(
  a: readonly Measured[],
  b: readonly Measured[],
  figure: 'callsPerSecond' | 'cpuUsPerCall',
): number {
  return median(a.map((one, round) => one[figure] / (b[round]?.[figure] ?? Number.NaN)))
}

/** One line of text: medians, and the failures of all rounds. */
export function describe(all: readonly Measured[]): string {
  const of = (figure: (one: Measured) => number) => median(all.map(figure))
  const failures = all.reduce((total, one) => total + one.failures, 0)
  const calls = all.reduce((total, one) => total + one.count, 0)
  return [
    `${Math.round(of((one) => one.callsPerSecond))}/s`,
    `${of((one) => one.cpuUsPerCall).toFixed(1)} us CPU`,
    `p50 ${of((one) => one.p50Ms).toFixed(2)} ms`,
    `p99 ${of((one) => one.p99Ms).toFixed(2)} ms`,
    `p99.9 ${of((one) => one.p999Ms).toFixed(2)} ms`,
    `${Math.round(of((one) => one.rssMiB))} MiB`,
    `${failures} of ${calls} failed`,
  ].join(', ')
}

export function failuresOf(all: readonly Measured[]): string | null {
  return all.find((one) => one.firstFailure !== null)?.firstFailure ?? null
}
