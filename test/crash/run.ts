// `npm run test:crash`: many rounds of the tests with kill -9.
//   --nodes 2   two servers that share a database, a bucket and a Valkey; without it: one server and its backups
// Each number of rounds and seconds is a variable of the environment; CAIRN_SEED repeats a run.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

type Run = { readonly files: readonly string[]; readonly env: Readonly<Record<string, string>> }

const runs: Readonly<Record<string, Run>> = {
  1: {
    files: ['crash.test.ts', 'crash-files.test.ts', 'crash-backups.test.ts'],
    env: {
      CAIRN_CRASH_ROUNDS: '500',
      CAIRN_CRASH_SECONDS: '540',
      CAIRN_BACKUP_ROUNDS: '200',
      CAIRN_BACKUP_SECONDS: '540',
    },
  },
  2: {
    files: ['crash-nodes.test.ts'],
    env: { CAIRN_NODES_ROUNDS: '1000', CAIRN_NODES_SECONDS: '9000' },
  },
}

const { values } = parseArgs({ options: { nodes: { type: 'string', default: '1' } } })
const run = runs[values.nodes]
if (run === undefined) throw new Error(`--nodes is one of ${Object.keys(runs).join(', ')}`)
const files = run.files.map((file) => fileURLToPath(new URL(file, import.meta.url)))
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
  env: { ...run.env, ...process.env },
})
process.exitCode = status ?? 1
