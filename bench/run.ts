// `npm run bench`: measures Cairn, floors and peers in the same run and prints the costs of each.
//   --only <sections>  run these sections, separated by commas (repeatable)
//   --profile          measure only Cairn and print its time by function
//   --quick            send 10 % of the calls, for trials
//   --keep <folder>    store the read chain in this folder and reuse it
//   --write            write docs/reference/benchmarks.md; with --only, the sections that ran
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createBench, type Bench } from './bench.ts'
import { runBatches } from './sections/batches.ts'
import { runCalls } from './sections/calls.ts'
import { runCached } from './sections/cached.ts'
import { runCollection } from './sections/collection.ts'
import { runConsensus } from './sections/consensus.ts'
import { runDapps } from './sections/dapps.ts'
import { runDashboard } from './sections/dashboard.ts'
import { runEngine } from './sections/engine.ts'
import { runFiles } from './sections/files.ts'
import { runFirstReads } from './sections/first-reads.ts'
import { runHeads } from './sections/heads.ts'
import { runImport } from './sections/import.ts'
import { runFolders } from './sections/folders.ts'
import { runLatency } from './sections/latency.ts'
import { runNetwork } from './sections/network.ts'
import { runObjects } from './sections/objects.ts'
import { runPostgres } from './sections/postgres.ts'
import { runStanding } from './sections/standing.ts'
import { runStarvation } from './sections/starvation.ts'
import { runUpstream } from './sections/upstream.ts'
import { runUsage } from './sections/usage.ts'
import { runVerify } from './sections/verify.ts'
import { runWorkers } from './sections/workers.ts'
import { machine, writeBenchmarks } from './write.ts'

const sections: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'first-reads': runFirstReads,
  cached: runCached,
  batches: runBatches,
  latency: runLatency,
  standing: runStanding,
  upstream: runUpstream,
  calls: runCalls,
  workers: runWorkers,
  heads: runHeads,
  consensus: runConsensus,
  dapps: runDapps,
  verify: runVerify,
  files: runFiles,
  folders: runFolders,
  objects: runObjects,
  postgres: runPostgres,
  engine: runEngine,
  collection: runCollection,
  import: runImport,
  usage: runUsage,
  dashboard: runDashboard,
  starvation: runStarvation,
  network: runNetwork,
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    profile: { type: 'boolean', default: false },
    keep: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const chosen = values.only?.flatMap((names) => names.split(',')) ?? Object.keys(sections)
const unknown = chosen.find((name) => !Object.hasOwn(sections, name))
if (unknown !== undefined) {
  throw new Error(`unknown section "${unknown}": use one of ${Object.keys(sections).join(', ')}`)
}

if (values.write && (values.quick || values.profile)) {
  throw new Error('--write requires all calls: leave out --quick and --profile')
}

const loadBefore = loadavg()[0] ?? 0
process.stdout.write(`${machine()}; load average ${loadBefore.toFixed(2)}\n`)
const bench = createBench({ ...values, keepIn: values.keep ?? null }, (line) =>
  process.stdout.write(`${line}\n`),
)
try {
  for (const name of chosen) await sections[name]?.(bench)
} finally {
  await bench.stop()
}
if (values.write) {
  const isComplete = values.only === undefined
  writeBenchmarks(bench.report.rows, { failures: bench.report.failures, loadBefore, isComplete })
}
if (bench.report.failures > 0) {
  process.stdout.write(`\n${bench.report.failures} calls failed\n`)
  process.exitCode = 1
}
