// Shared by the sections: the load thread, the report, and servers that start on first use.
import { startLoader, type Loader } from './load/loader.ts'
import { measureAlternating, type Measured, type Target } from './measure.ts'
import { startProfile, stopProfile } from './profile.ts'
import { createReport, type Report } from './report.ts'
import { startBare, type Server } from './servers/bare.ts'
import { startReadCairn, type ReadCairn } from './servers/cairn.ts'
import { startNginx } from './servers/nginx.ts'

export type Options = {
  /** Sends 10 % of the calls, for trials. The figures are not valid measurements. */
  readonly quick: boolean
  readonly profile: boolean
  /** Folder that stores the chain for reads between runs; null: create it in each run. */
  readonly keepIn: string | null
}

export type Bench = {
  readonly options: Options
  readonly loader: Loader
  readonly report: Report
  /** `count`, or 10 % of it in a quick run. */
  calls(full: number): number
  bare(): Promise<Server>
  /** Null if nginx is not installed, which is reported once. */
  nginx(): Promise<Server | null>
  cairn(): Promise<ReadCairn>
  /** Measures the targets alternately. With `--profile`, measures only Cairn and prints its time by function. */
  alternate(targets: readonly Target[], warmUp: number): Promise<readonly (readonly Measured[])[]>
  stop(): Promise<void>
}

/** Slots for cached keys and for first reads, which use new keys in the warm-up and in each round. */
export const sizes = { slots: 40_000, transfers: 36_000, cached: 4096 }

export function createBench(options: Options, print: (line: string) => void): Bench {
  const loader = startLoader()
  const report = createReport(print)
  const stops: (() => Promise<void>)[] = []
  const scale = options.quick ? 10 : 1
  const started = <T extends { stop(): Promise<void> } | null>(start: () => Promise<T>) => {
    let started: Promise<T> | null = null
    return () => {
      started ??= start().then((server) => {
        if (server !== null) stops.push(() => server.stop())
        return server
      })
      return started
    }
  }
  const cairn = started(() =>
    startReadCairn(
      {
        slots: Math.max(Math.floor(sizes.slots / scale), sizes.cached),
        transfers: Math.floor(sizes.transfers / scale),
      },
      { profiled: options.profile, keepIn: options.keepIn },
    ),
  )

  async function profiled(target: Target, warmUp: number): Promise<readonly Measured[]> {
    const { profileFile } = await cairn()
    await loader.run({ ...target.plan, count: warmUp, rate: null })
    await startProfile(target.pid)
    const [measured = []] = await measureAlternating(loader, [target], { warmUp: 0 })
    print(`\n${target.name}: own time by function`)
    for (const line of await stopProfile(target.pid, profileFile)) print(line)
    return measured
  }

  return {
    options,
    loader,
    report,
    calls: (full) => Math.ceil(full / scale),
    bare: started(startBare),
    nginx: started(async () => {
      const nginx = await startNginx({ fixed: true })
      if (nginx === null) report.note('nginx is not installed: its floors are skipped')
      return nginx
    }),
    cairn,
    async alternate(targets, warmUp) {
      if (!options.profile) return measureAlternating(loader, targets, { warmUp })
      const { pid } = await cairn()
      const measured: (readonly Measured[])[] = []
      for (const target of targets) {
        measured.push(target.pid === pid ? await profiled(target, warmUp) : [])
      }
      return measured
    },
    async stop() {
      await loader.close()
      for (const stop of stops.toReversed()) await stop()
    },
  }
}
