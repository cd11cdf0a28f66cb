// Large files over HTTP with `add` and `cat`: rates compared with SHA-256 and the disk, and the memory growth of the server. The
// client generates the bytes, so they do not count in the measured memory.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCairn, type Started } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { createFileRing, type FileBytes } from '../data/file-bytes.ts'
import { diskRate, measureSha } from '../floors.ts'
import { addFile, catFile } from '../load/file-calls.ts'
import { median, rounds } from '../measure.ts'
import { cpuUs, forgetPeak, peakRssMiB, rssMiB } from '../processes.ts'
import { profileHook, startProfile, stopProfile } from '../profile.ts'

const mib = 1024 * 1024
const gib = 1024 * mib
const concurrent = 16

type Round = {
  readonly sha: number
  readonly shaCpu: number
  readonly add: Passed
  /** First read, from the disk: data written with direct I/O is not in the page cache. */
  readonly cat: Passed
  /** Third read, from the page cache. */
  readonly again: Passed
  readonly memory: { readonly add: number; readonly cat: number }
}
/** Bytes per second, and the server's processor seconds per GiB. */
type Passed = { readonly rate: number; readonly cpu: number }

export async function runFiles(bench: Bench): Promise<void> {
  const { report } = bench
  const bytes = Math.ceil(bench.calls(1024) / 4) * 4 * mib
  report.section(`Files: ${bytes / mib} MiB in and out`)
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-files-'))
  const ring = createFileRing()
  try {
    const floor = { path: join(folder, 'floor'), file: ring.open(0, bytes) }
    const buffered = await diskRate(floor.path, floor.file, { direct: false })
    const direct = await diskRate(floor.path, floor.file, { direct: true })
    const all: Round[] = []
    for (let round = 0; round < (bench.options.profile ? 1 : rounds); round++) {
      all.push(await runRound(bench, ring.open(1 + round, bytes), join(folder, 'profile')))
    }
    const of = (figure: (round: Round) => number) => median(all.map(figure))
    report.figure('sha256 of 256 KiB chunks', of(({ sha }) => sha) / 1e6, ' MB/s')
    report.figure('disk: fresh file, buffered, fdatasync', (buffered?.written ?? 0) / 1e6, ' MB/s')
    if (direct === null) report.note('this disk does not support direct writes')
    else {
      report.figure('disk: fresh file, O_DIRECT, fdatasync', direct.written / 1e6, ' MB/s')
      const read = (direct.read ?? 0) / 1e6
      report.figure('disk: the same read, O_DIRECT, 1 MiB at a time, two ahead', read, ' MB/s')
    }
    for (const { name, passed, goal } of [
      {
        name: 'add, durable before the reply',
        passed: (round: Round) => round.add,
        goal: 0.4,
      },
      {
        name: 'cat, each block verified before it is sent',
        passed: (round: Round) => round.cat,
        goal: 0.7,
      },
      {
        name: 'third cat, from memory',
        passed: (round: Round) => round.again,
        goal: 0.7,
      },
    ]) {
      report.figure(name, of((round) => passed(round).rate) / 1e6, ' MB/s')
      report.figure(
        `${name}: server CPU per GiB`,
        of((round) => passed(round).cpu),
        ' s',
      )
      const byCpu = of((round) => round.shaCpu / passed(round).cpu)
      report.figure(`${name}: CPU of sha256 / Cairn`, byCpu, '')
      const ratio = of((round) => passed(round).rate / round.sha)
      report.figure(`${name} / sha256`, ratio, '', goal === null ? undefined : { atLeast: goal })
    }
    report.figure(
      'memory: one add',
      of(({ memory }) => memory.add),
      ' MiB',
      { atMost: 128 },
    )
    report.figure(
      'memory: one cat',
      of(({ memory }) => memory.cat),
      ' MiB',
      { atMost: 16 },
    )
    if (bench.options.profile) return
    const { adds, cats } = await runTogether(createMany(bench.calls(640) * mib))
    report.figure(`memory: ${concurrent} concurrent adds`, adds, ' MiB', { atMost: 256 })
    report.figure(`memory: ${concurrent} concurrent cats`, cats, ' MiB', { atMost: 64 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runRound(bench: Bench, file: FileBytes, profileFile: string): Promise<Round> {
  const profile = bench.options.profile
  const cairn = await startCairn({
    env: { CAIRN_BENCH_PROFILE: profileFile },
    ...(profile ? { nodeArgs: ['--import', profileHook] } : {}),
  })
  const pid = cairn.child.pid ?? 0
  try {
    const before = measureSha(file)
    let cid = ''
    const add = await measured('add', async () => void (cid = await addFile(cairn, file)))
    const cat = await measured('cat', () => catFile(cairn, cid, file))
    if (!profile) await catFile(cairn, cid, file)
    const again = await measured('cat again', () => catFile(cairn, cid, file))
    const after = measureSha(file)
    return {
      sha: (before.rate + after.rate) / 2,
      shaCpu: (before.cpu + after.cpu) / 2,
      add,
      cat,
      again,
      memory: { add: add.grown, cat: cat.grown },
    }
  } finally {
    await cairn.stop()
  }

  async function measured(name: string, work: () => Promise<void>) {
    if (profile) await startProfile(pid)
    const grown = startGrowth(pid)
    const cpu = cpuUs(pid)
    const begun = performance.now()
    await work()
    const ms = performance.now() - begun
    const cpuSeconds = (cpuUs(pid) - cpu) / 1e6
    if (profile) {
      process.stdout.write(`\n${name}: own time by function\n`)
      for (const line of await stopProfile(pid, profileFile)) process.stdout.write(`${line}\n`)
    }
    return {
      rate: (file.bytes / ms) * 1000,
      cpu: (cpuSeconds / file.bytes) * gib,
      grown: grown(),
    }
  }
}

/** Files for concurrent reads: each has a separate ring. */
function createMany(bytes: number): readonly FileBytes[] {
  const each = Math.ceil(bytes / concurrent / mib) * mib
  return Array.from({ length: concurrent }, (_, at) =>
    createFileRing(8 * mib).open(1000 + at, each),
  )
}

/** Memory growth during concurrent adds of all files, then during concurrent reads. */
async function runTogether(files: readonly FileBytes[]): Promise<{ adds: number; cats: number }> {
  const cairn: Started = await startCairn()
  const pid = cairn.child.pid ?? 0
  try {
    const grownByAdds = startGrowth(pid)
    const cids = await Promise.all(files.map((file) => addFile(cairn, file)))
    const adds = grownByAdds()
    const grownByCats = startGrowth(pid)
    await Promise.all(files.map((file, at) => catFile(cairn, cids[at] ?? '', file)))
    return { adds, cats: grownByCats() }
  } finally {
    await cairn.stop()
  }
}

/** Returns a function that returns the peak growth of the process, in MiB. */
function startGrowth(pid: number): () => number {
  forgetPeak(pid)
  const before = rssMiB(pid)
  return () => peakRssMiB(pid) - before
}
