// `npm run bench`: starts Cairn as users do, beside floors and peers in the same run, and prints what each costs.
//   --only <section>   one section (may be given again)
//   --profile          only Cairn, and where its time goes by function
//   --quick            a tenth of the calls: to try things
//   --keep <folder>    holds the chain that is read from run to run: saves making it
//   --write            writes docs/reference/benchmarks.md
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createBench, type Bench } from './bench.ts'
import { runBatches } from './sections/batches.ts'
import { runCached } from './sections/cached.ts'
import { runCollection } from './sections/collection.ts'
import { runDashboard } from './sections/dashboard.ts'
import { runEngine } from './sections/engine.ts'
import { runFiles } from './sections/files.ts'
import { runFirstReads } from './sections/first-reads.ts'
import { runHeads } from './sections/heads.ts'
import { runImport } from './sections/import.ts'
import { runFolders } from './sections/folders.ts'
import { runLatency } from './sections/latency.ts'
import { runStanding } from './sections/standing.ts'
import { runStarvation } from './sections/starvation.ts'
import { runUpstream } from './sections/upstream.ts'
import { runUsage } from './sections/usage.ts'
import { runVerify } from './sections/verify.ts'
import { machine, writeBenchmarks } from './write.ts'

const sections: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'first-reads': runFirstReads,
  cached: runCached,
  batches: runBatches,
  latency: runLatency,
  standing: runStanding,
  upstream: runUpstream,
  heads: runHeads,
  verify: runVerify,
  files: runFiles,
  folders: runFolders,
  engine: runEngine,
  collection: runCollection,
  import: runImport,
  usage: runUsage,
  dashboard: runDashboard,
  starvation: runStarvation,
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
const chosen = values.only ?? Object.keys(sections)
const unknown = chosen.find((name) => !Object.hasOwn(sections, name))
if (unknown !== undefined) {
  throw new Error(`no section "${unknown}"; there are ${Object.keys(sections).join(', ')}`)
}

if (values.write && (values.quick || values.profile || values.only !== undefined)) {
  throw new Error('--write takes a whole run')
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
if (values.write)
  writeBenchmarks(bench.report.rows, { failures: bench.report.failures, loadBefore })
if (bench.report.failures > 0) {
  process.stdout.write(`\n${bench.report.failures} calls failed\n`)
  process.exitCode = 1
}
