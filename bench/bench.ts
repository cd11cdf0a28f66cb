// What the sections share: the load thread, the report, and servers that start when the first section asks.
import { startLoader, type Loader } from './load/loader.ts'
import { measureInTurns, type Measured, type Target } from './measure.ts'
import { startProfile, stopProfile } from './profile.ts'
import { createReport, type Report } from './report.ts'
import { startBare, type Server } from './servers/bare.ts'
import { startReadCairn, type ReadCairn } from './servers/cairn.ts'
import { startNginx } from './servers/nginx.ts'

export type Options = {
  /** A tenth of the calls, for trying things: its figures are no figures. */
  readonly quick: boolean
  readonly profile: boolean
  /** Where the chain that is read stays from run to run; null: made anew. */
  readonly keepIn: string | null
}

export type Bench = {
  readonly options: Options
  readonly loader: Loader
  readonly report: Report
  /** The full number of calls, or a tenth. */
  calls(full: number): number
  bare(): Promise<Server>
  /** Null where nginx is not installed; said once. */
  nginx(): Promise<Server | null>
  cairn(): Promise<ReadCairn>
  /** Measures in turns. With `--profile` only Cairn, and shows where its time went. */
  turns(targets: readonly Target[], warmUp: number): Promise<readonly (readonly Measured[])[]>
  stop(): Promise<void>
}

/** Room for the cached keys, and for first reads: a warm-up and every round ask for others. */
export const sizes = { slots: 40_000, transfers: 36_000, cached: 4096 }

export function createBench(options: Options, print: (line: string) => void): Bench {
  const loader = startLoader()
  const report = createReport(print)
  const stops: (() => Promise<void>)[] = []
  const scale = options.quick ? 10 : 1
  const kept = <T extends { stop(): Promise<void> } | null>(start: () => Promise<T>) => {
    let started: Promise<T> | null = null
    return () => {
      started ??= start().then((server) => {
        if (server !== null) stops.push(() => server.stop())
        return server
      })
      return started
    }
  }
  const cairn = kept(() =>
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
    const [measured = []] = await measureInTurns(loader, [target], { warmUp: 0 })
    print(`\n${target.name}: own time by function`)
    for (const line of await stopProfile(target.pid, profileFile)) print(line)
    return measured
  }

  return {
    options,
    loader,
    report,
    calls: (full) => Math.ceil(full / scale),
    bare: kept(startBare),
    nginx: kept(async () => {
      const nginx = await startNginx({ fixed: true })
      if (nginx === null) report.note('nginx is not installed: its floors are left out')
      return nginx
    }),
    cairn,
    async turns(targets, warmUp) {
      if (!options.profile) return measureInTurns(loader, targets, { warmUp })
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
