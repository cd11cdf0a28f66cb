// A started server whose disk corrupts, truncates, fails and delays reads, and fails and delays writes, at random. Compares every
// returned byte with the added content. Finally starts the server on a sound disk, where all acknowledged content must exist.
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { systemClock } from '../../src/base/clock.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { seeded } from '../fakes/seeded.ts'
import { type DiskFault, makeFaultyDisk } from '../faults/faulty-disk.ts'
import { startCairn, type Started, temporaryFolder } from '../started-server.ts'
import type { Section, SectionRun } from './section.ts'

/** Requests per set of faults. */
const requestsPerRound = 40
/** Share of the time for the start on a sound disk and the final reads. */
const checkShare = 0.25

type Added = { readonly cid: string; readonly bytes: Uint8Array }

export const faultyDisks: Section = {
  name: 'faulty disks',
  share: 0.15,
  async run(run) {
    const { disk, skip } = makeFaultyDisk()
    if (disk === null) return run.report(`left out: ${String(skip)}`)
    const dataDir = await temporaryFolder()
    const end = systemClock.monotonic() + run.budgetMs * (1 - checkShare)
    const random = seeded(run.seed)
    const added: Added[] = []
    try {
      for (let start = 0; systemClock.monotonic() < end; start += 1) {
        disk.set([])
        const server = await startCairn({ dataDir, env: { ...disk.env } })
        const keyed = keyOf(server)
        for (let round = 0; round < 4 && systemClock.monotonic() < end; round += 1) {
          disk.set(faultsOf(random))
          await disturb(run, keyed, random, added)
        }
        disk.set([])
        await server.kill()
      }
      const sound = await startCairn({ dataDir })
      try {
        await readAll(run, keyOf(sound), added)
      } finally {
        await sound.stop()
      }
    } finally {
      disk.remove()
      await rm(dataDir, { recursive: true, force: true })
    }
  },
}

let first: Pick<Started, 'apiKey' | 'apiKeySecret'> | null = null

/** Only the first start on a folder prints its key. */
function keyOf(server: Started): Started {
  if (server.apiKey !== '') first = server
  if (first === null) throw new Error('the first start showed no key')
  const { apiKey, apiKeySecret } = first
  return { ...server, apiKey, apiKeySecret }
}

/** Reads fail in all ways. Writes only fail or are delayed: a silently wrong write equals a lost disk. */
function faultsOf(random: (limit: number) => number): readonly DiskFault[] {
  const seed = random(2 ** 31)
  const path = '*/store/*'
  const reads = (['flip', 'cut', 'fail', 'delay'] as const).map((action, at) => {
    return { op: 'read', action, path, chance: 5 + random(60), seed: seed + at } as const
  })
  const writes = (['fail', 'delay'] as const).map((action, at) => {
    return { op: 'write', action, path, chance: random(12), seed: seed + 10 + at } as const
  })
  return random(3) === 0 ? [...reads, ...writes] : reads
}

async function disturb(
  { tally, report }: SectionRun,
  server: Started,
  random: (limit: number) => number,
  added: Added[],
): Promise<void> {
  const client = filesClient(server)
  for (let at = 0; at < requestsPerRound; at += 1) {
    if (added.length === 0 || random(3) === 0) {
      const bytes = noise(random(2 ** 31), 1 + random(random(4) === 0 ? 600_000 : 5_000))
      const cid = await client.add(bytes).catch(() => null)
      tally.add('disk faults: add', 'stored', cid === null ? 'refused' : 'right')
      if (cid !== null) added.push({ cid, bytes })
      continue
    }
    const { cid, bytes } = added[random(added.length)] as Added
    const verdict = await read(server, cid, bytes)
    tally.add('disk faults: cat', 'stored', verdict)
    if (verdict === 'wrong') report(`wrong bytes of ${cid}`)
  }
}

/** After the faults, all acknowledged content is served. */
async function readAll(
  { tally, report }: SectionRun,
  server: Started,
  added: readonly Added[],
): Promise<void> {
  for (const { cid, bytes } of added) {
    const verdict = await read(server, cid, bytes)
    // Acknowledged content that is not served is lost.
    tally.add(
      'acknowledged files, read after the disk faults',
      'stored',
      verdict === 'right' ? 'right' : 'wrong',
    )
    if (verdict !== 'right') report(`${cid} was acknowledged and is ${verdict} now`)
  }
}

async function read(server: Started, cid: string, bytes: Uint8Array) {
  try {
    const reply = await filesClient(server).post(`cat?arg=${cid}`)
    const got = Buffer.from(await reply.arrayBuffer())
    if (reply.status !== 200) return 'refused'
    return got.equals(bytes) ? 'right' : 'wrong'
  } catch {
    // A closed connection is not an answer.
    return 'refused'
  }
}

function noise(seed: number, bytes: number): Uint8Array<ArrayBuffer> {
  const hash = createHash('shake256', { outputLength: bytes }).update(`noise ${seed}`)
  return new Uint8Array(hash.digest())
}
