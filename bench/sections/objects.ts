// Large files through a bucket that machines share, compared with only Cairn's S3 client on the same service: the rate of `add` and
// of the first `cat`. Then small adds per second.
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import type { ObjectStore } from '../../src/content/objects/object-store.ts'
import { createS3Objects } from '../../src/content/objects/s3-objects.ts'
import { bucket, type S3Service } from '../../test/fakes/files/versitygw.ts'
import type { Started } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { createFileRing, type FileBytes } from '../data/file-bytes.ts'
import { addFile, catFile } from '../load/file-calls.ts'
import { addParts, filePart } from '../load/small-adds.ts'
import { median, rounds } from '../measure.ts'
import { cpuUs, forgetPeak, peakRssMiB, rssMiB } from '../processes.ts'
import { startProfile, stopProfile } from '../profile.ts'
import {
  missingEngines,
  startBenchPostgres,
  startBucket,
  startSharedCairn,
} from '../servers/shared.ts'
import { startUpstream } from '../servers/upstream.ts'

const mib = 1024 * 1024
const gib = 1024 * mib
const fullBytes = gib
const quickBytes = 256 * mib
/** Bytes per read of the bare client, whose maximum this is, and per part of its multipart upload. */
const readBytes = 8 * mib
const readsAhead = 2
const smallAdds = 4000
const smallBytes = 4096
const lanes = 16
const never = new AbortController().signal

/**
 * Bytes per second. `cpu`: seconds per GiB of Cairn or the bare client. `allCpu`: including the S3 service. `grown`: memory growth
 * of Cairn in MiB.
 */
type Passed = Readonly<Record<'rate' | 'cpu' | 'allCpu' | 'grown', number>>
type Round = Readonly<Record<'bareAdd' | 'add' | 'bareCat' | 'cat', Passed>>

export async function runObjects(bench: Bench): Promise<void> {
  const { report, options } = bench
  const bytes = options.quick ? quickBytes : fullBytes
  report.section(`Shared bucket: ${bytes / mib} MiB in and out`)
  const missing = missingEngines()
  if (missing !== null) return report.note(`this section is left out: ${missing}`)
  await using stack = new AsyncDisposableStack()
  const upstream = await startUpstream(1, 1)
  stack.defer(() => upstream.stop())
  const s3 = await startBucket(stack)
  const postgres = await startBenchPostgres(stack)
  const profileFile = options.profile ? join(tmpdir(), `cairn-objects-${process.pid}`) : null
  const cairn = await startSharedCairn(stack, { postgres, s3, upstream, profileFile })
  const bare = createS3Objects(s3.access, { bucket, prefix: 'bare' }, systemClock)
  stack.defer(() => bare.close())

  const ring = createFileRing()
  const all: Round[] = []
  for (let round = 0; round < (options.profile ? 1 : rounds); round += 1) {
    all.push(await runRound({ cairn, s3, bare, profileFile }, round, (n) => ring.open(n, bytes)))
  }
  const of = (figure: (round: Round) => number) => median(all.map(figure))
  for (const { name, cairnOf, bareOf, goal } of [
    {
      name: 'add',
      cairnOf: (one: Round) => one.add,
      bareOf: (one: Round) => one.bareAdd,
      goal: 0.7,
    },
    { name: 'first cat', cairnOf: (one: Round) => one.cat, bareOf: (one: Round) => one.bareCat },
  ]) {
    report.figure(`bucket: ${name}, bare S3 client`, of((one) => bareOf(one).rate) / 1e6, ' MB/s')
    report.figure(`bucket: ${name}, Cairn`, of((one) => cairnOf(one).rate) / 1e6, ' MB/s')
    report.figure(
      `bucket: ${name}: server CPU per GiB`,
      of((one) => cairnOf(one).cpu),
      ' s',
    )
    report.figure(
      `bucket: ${name}: CPU with the S3 service, bare S3 client / Cairn`,
      of((one) => bareOf(one).allCpu / cairnOf(one).allCpu),
      '',
    )
    report.figure(
      `bucket: ${name}, Cairn / bare S3 client`,
      of((one) => cairnOf(one).rate / bareOf(one).rate),
      '',
      goal === undefined ? undefined : { atLeast: goal },
    )
  }
  report.figure('bucket: memory of one add', Math.max(...all.map(({ add }) => add.grown)), ' MiB', {
    atMost: 192,
  })
  await runSmall(bench, cairn)
}

async function runRound(
  {
    cairn,
    s3,
    bare,
    profileFile,
  }: {
    readonly cairn: Started
    readonly s3: S3Service
    readonly bare: ObjectStore
    readonly profileFile: string | null
  },
  round: number,
  open: (number: number) => FileBytes,
): Promise<Round> {
  const pid = cairn.child.pid ?? 0
  const file = open(2 * round)
  const other = open(2 * round + 1)
  const name = `file-${round}`
  const work = {
    bareAdd: () => measured(process.pid, other, () => putBare(bare, name, other)),
    add: async () => {
      let cid = ''
      const passed = await profiled('add', () =>
        measured(pid, file, async () => void (cid = await addFile(cairn, file))),
      )
      return { cid, passed }
    },
  }
  // Alternate the order, so that a service that becomes slower or faster affects both equally.
  const bareFirst = round % 2 === 0 ? await work.bareAdd() : null
  const { cid, passed: add } = await work.add()
  const bareAdd = bareFirst ?? (await work.bareAdd())
  const bareCat = await measured(process.pid, other, () => readBare(bare, name, other))
  const cat = await profiled('cat', () => measured(pid, file, () => catFile(cairn, cid, file)))
  await bare.remove([name], never)
  return { bareAdd, add, bareCat, cat }

  async function measured(
    client: number,
    of: FileBytes,
    run: () => Promise<void>,
  ): Promise<Passed> {
    const cpuOf = (id: number): number => (id === process.pid ? ownCpuUs() : cpuUs(id))
    forgetPeak(pid)
    const memory = rssMiB(pid)
    const before = { client: cpuOf(client), service: cpuUs(s3.pid) }
    const begun = performance.now()
    await run()
    const ms = performance.now() - begun
    const perGib = (us: number): number => ((us / 1e6) * gib) / of.bytes
    const cpu = perGib(cpuOf(client) - before.client)
    return {
      rate: (of.bytes / ms) * 1000,
      cpu,
      allCpu: cpu + perGib(cpuUs(s3.pid) - before.service),
      grown: peakRssMiB(pid) - memory,
    }
  }

  async function profiled<T>(what: string, run: () => Promise<T>): Promise<T> {
    if (profileFile === null) return await run()
    await startProfile(pid)
    const result = await run()
    process.stdout.write(`\n${what}: own time by function\n`)
    for (const line of await stopProfile(pid, profileFile)) process.stdout.write(`${line}\n`)
    return result
  }
}

/** Processor time of this process without the engines that it started. */
function ownCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function putBare(bare: ObjectStore, name: string, file: FileBytes): Promise<void> {
  const writer = bare.putParts(name)
  for (let at = 0; at < file.bytes;) {
    const piece = file.slice(at, file.bytes)
    await writer.write(piece)
    at += piece.length
  }
  await writer.end()
}

/** Throws if the content is not exactly `file`. */
async function readBare(bare: ObjectStore, name: string, file: FileBytes): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < file.bytes) {
      const at = next
      next += readBytes
      const got = await bare.read(name, at, Math.min(readBytes, file.bytes - at), never)
      for (let from = 0; from < got.length;) {
        const expected = file.slice(at + from, got.length - from)
        if (expected.compare(got, from, from + expected.length) !== 0) {
          throw new Error(`bare client: other bytes at ${at + from}`)
        }
        from += expected.length
      }
    }
  }
  await Promise.all(Array.from({ length: readsAhead }, lane))
}

/** Adds of 4 KiB over 16 connections; each is durable before its reply. */
async function runSmall({ report, calls, options }: Bench, cairn: Started): Promise<void> {
  if (options.profile) return
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const rates: number[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      let left = calls(smallAdds)
      const lane = async (): Promise<void> => {
        while (left > 0) {
          left -= 1
          const content = Buffer.alloc(smallBytes, `${performance.timeOrigin} ${round} ${left} `)
          await addParts(cairn, agent, '', [filePart('f', content)])
        }
      }
      const begun = performance.now()
      await Promise.all(Array.from({ length: lanes }, lane))
      rates.push((calls(smallAdds) / (performance.now() - begun)) * 1000)
    }
  } finally {
    agent.destroy()
  }
  report.figure(`bucket: adds of 4 KiB, ${lanes} connections`, median(rates), '/s')
}
