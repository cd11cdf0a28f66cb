// Storage without HTTP: a store in a separate process, compared with hashing alone.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { median, rounds } from '../measure.ts'
import { startStore, type StoreOrder, type StoreResult } from '../servers/store.ts'

const mib = 1024 * 1024

export async function runEngine(bench: Bench): Promise<void> {
  const { report, calls } = bench
  const bytes = Math.ceil(calls(1024) / 4) * 4 * mib
  const small = calls(50_000)
  const many = calls(1_000_000)
  report.section('Storage alone')

  const imports: StoreResult[] = []
  for (let number = 0; number < rounds; number++) {
    imports.push(...(await inFreshStore([{ kind: 'import', number, bytes }])))
  }
  const importRatio = median(imports.map(({ ms, base }) => base / ms))
  report.figure('import, durable', bytes / 1e3 / median(imports.map(({ ms }) => ms)), ' MB/s')
  report.figure('import, durable / sha256', importRatio, '', { atLeast: 0.65 })

  const puts: StoreResult[] = []
  const reads: StoreResult[] = []
  const firstReads: StoreResult[] = []
  for (let round = 0; round < rounds; round++) {
    await inFolder(async (dataDir) => {
      const read = { kind: 'read', count: small } as const
      const [put, recent] = await inStore(dataDir, [
        { kind: 'put', count: small, inFlight: 256 },
        read,
      ])
      const [first] = await inStore(dataDir, [read])
      if (put !== undefined) puts.push(put)
      if (recent !== undefined) reads.push(recent)
      if (first !== undefined) firstReads.push(first)
    })
  }
  const perSecond = (all: readonly StoreResult[]) =>
    median(all.map(({ ms }) => (small / ms) * 1000))
  const ofHashing = (all: readonly StoreResult[]) => median(all.map(({ ms, base }) => base / ms))
  const ofText = (all: readonly StoreResult[]) =>
    median(all.map(({ ms, textBase = 0 }) => textBase / ms))
  report.figure('blocks of 4 KiB, each durable, 256 in flight', perSecond(puts), '/s')
  report.figure('blocks of 4 KiB, durable / sha256 alone', ofHashing(puts), '', { atLeast: 0.35 })
  report.figure('blocks of 4 KiB, durable / sha256 alone, as text', ofText(puts), '')
  report.figure('blocks of 4 KiB, read in any order and verified', perSecond(reads), '/s')
  report.figure('blocks of 4 KiB, read and verified / sha256 alone', ofHashing(reads), '', {
    atLeast: 0.5,
  })
  report.figure('blocks of 4 KiB, read and verified / sha256 alone, as text', ofText(reads), '')
  report.figure(
    'blocks of 4 KiB, read for the first time since a kill / sha256 alone',
    ofHashing(firstReads),
    '',
  )
  report.figure(`open with ${many} blocks after a kill`, await openMs(many), ' ms', {
    atMost: 1000,
  })
}

async function inFreshStore(orders: readonly StoreOrder[]): Promise<readonly StoreResult[]> {
  return await inFolder((dataDir) => inStore(dataDir, orders))
}

async function inStore(
  dataDir: string,
  orders: readonly StoreOrder[],
): Promise<readonly StoreResult[]> {
  const store = await startStore(dataDir)
  try {
    const results: StoreResult[] = []
    for (const order of orders) results.push(await store.run(order))
    return results
  } finally {
    await store.kill()
  }
}

async function openMs(count: number): Promise<number> {
  return await inFolder(async (dataDir) => {
    const filled = await startStore(dataDir)
    await filled.run({ kind: 'fill', count })
    await filled.kill()
    const opened = await startStore(dataDir)
    await opened.kill()
    return opened.openMs
  })
}

async function inFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-store-'))
  try {
    return await work(join(folder, 'data'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
