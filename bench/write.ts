// docs/reference/benchmarks.md from what a run found.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { causes } from './causes.ts'
import type { Row } from './report.ts'

const file = new URL('../docs/reference/benchmarks.md', import.meta.url)

/** `loadBefore`: what the machine was doing before the run, one-minute average. */
export function writeBenchmarks(
  rows: readonly Row[],
  run: { readonly failures: number; readonly loadBefore: number },
): void {
  const sections = [...new Set(rows.map(({ section }) => section))]
  const tables = sections.map((section) =>
    table(
      section,
      rows.filter((row) => row.section === section),
    ),
  )
  writeFileSync(file, `${[opening(run), ...tables].join('\n\n')}\n`)
}

export function machine(): string {
  const [first] = cpus()
  const gib = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${gib} GiB, Node ${process.version}${hugePages()}`
}

const hugePagesFile = '/sys/kernel/mm/transparent_hugepage/enabled'

/** To whom Linux gives them: `always`, `madvise` (who asks, which Node can't) or `never`. */
function hugePages(): string {
  if (!existsSync(hugePagesFile)) return ''
  const [, chosen] = /\[(\w+)\]/.exec(readFileSync(hugePagesFile, 'utf8')) ?? []
  return `, transparent huge pages: ${chosen ?? 'unknown'}`
}

function table(section: string, rows: readonly Row[]): string {
  const lines = rows.map(
    (row) => `| ${row.name} | ${row.measured} | ${row.goal ?? ''} | ${verdict(row)} |`,
  )
  return [`## ${section}`, '', '| What | Measured | Goal | |', '|---|---|---|---|', ...lines].join(
    '\n',
  )
}

function verdict({ name, met }: Row): string {
  if (met === null) return ''
  return met ? 'met' : `short: ${causes[name] ?? 'cause not found yet'}`
}

function opening({ failures, loadBefore }: { failures: number; loadBefore: number }): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim()
  const date = new Date().toISOString().slice(0, 10)
  return `# Benchmarks

<!-- Made by \`npm run bench -- --write\`. Causes are kept in bench/causes.ts. -->

${machine()}; ${date}, commit ${commit}. One-minute load average before the run ${loadBefore.toFixed(1)}, after it
${(loadavg()[0] ?? 0).toFixed(1)}: above 1 before the run, other programs had a part of the machine. ${failures} calls failed.

\`\`\`
npm run bench                              everything, some minutes
npm run bench -- --only cached             one section: first-reads, cached, batches, latency, standing,
                                           upstream, heads, verify, files, engine, collection,
                                           import, starvation
npm run bench -- --only cached --profile   only Cairn, and where its time goes by function
npm run bench -- --keep ./bench-chain     keeps the chain that is read for the next run
npm run bench -- --quick                   a tenth of the calls, to try things
npm run bench -- --write                   this page
\`\`\`

How it is measured:

- Cairn is started as a user does, on a chain with a contract of 40,000 slots and 3600 blocks of ten transactions.
  64 API keys take turns, each with a rate and a daily limit that are counted and never reached; usage is counted.
- **Every reply is checked**: its id and its result. A JSON-RPC error comes with status 200 and counts as a failure.
  Every call has an id that no other call of its run has.
- Calls come from raw sockets in a thread of the bench. With the load on the same cores, calls per second say less than
  processor time: what all threads of the server's processes (nginx: master and worker) ran for each call, as Linux
  counts it.
- Targets take turns in three rounds after a warm-up; a line shows medians. A ratio is the median of the ratios inside
  the rounds, so read ratios, not absolutes.
- Floors in the same run: nginx 1.22 or newer with one worker, as \`return 200\` (it never reads the body) and as a cache
  of POST replies by body in front of Cairn (it can't change ids, authenticate or count); \`node:http\` with a constant
  reply. Connections are kept alive.
- Cached: 4096 slots and 4096 transactions over 64 connections. First reads: no slot and no transaction is asked for
  twice, two fifths of them in the warm-up, 32 connections, beside anvil 1.7.1 and EDR 0.20.0 behind \`node:http\` with the same transactions and slots; the
  transactions of the peers are on chains without the large contract, which anvil copies for each block.
- Upstream: a small \`node:http\` of the bench with replies made ready, one trusted upstream of a network that requires
  proof; state as deep as on mainnet, 10 nodes to an account and 6 to a slot. A miss is added latency over one
  connection, the same eth_getProof asked of the upstream itself in turns, and through a bare hop: \`node:http\` and undici
  that hand it on without a look. All three take turns through 20,000 calls before, since V8 goes on optimizing
  that long and a server runs for weeks, then nine rounds of 600, since the upstream itself takes 35 or 80 us as the scheduler
  places it. What they add before that, after 7,000 calls, is printed too. No slot is asked for twice, and the
  upstream must have heard of every call.
- Standing by: a start finds code that an earlier one compiled (\`bin/cairn.js\`). The first of all takes some 35 MiB more.
- p99 under load comes from a constant rate: time counts from when a call was due.
- Collection: 100 adds a second from another process, first alone for 15 s after a warm-up of 5, then for as long as the
  collection takes beside them, about as long: so both p99 are of as many adds, and of as many pauses that others make.
- Import: from the opened data folder to the last durable block; the EVM's thread starts while the folder is opened, and what is
  left of its start counts. Each round in a process of its own. Code that an earlier start compiled is found compiled (\`bin/cairn.js\`), as at any second start.
- Starvation: one honest call after another, 50 ms between them, each timed on its own, while a thread of the bench sends what
  hostile tenants would (\`test/hostile/greedy-calls.ts\`), over several connections without a pause.
- Transparent huge pages are a setting of the machine, for peers and floors as for Cairn; docs/guides/run-as-a-service.md says what \`always\` brings.
- Storage alone: blocks of 4 KiB, beside what \`hash('sha256', block, 'buffer')\` of \`node:crypto\` takes for as many on one core. Cairn asks
  for digests as text, which costs a fifth less than bytes, so the same is printed beside that too. A fifth as many
  others are put before, and read ten times.
- Files: random bytes that the client makes and compares when they come back, out of one buffer that a raw socket reads into:
  it costs a third of what the server does, and no source is read from the disk; each of the three rounds has a server and a data folder of its own. sha256 is \`node:crypto\` on
  256 KiB pieces on one core, before and after each round. Memory is what the server alone grows by, at its peak.`
}
