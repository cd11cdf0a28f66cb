// Latency of adding small files on an idle server and during garbage collection.
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { requestCollection, findAnswer } from '../../src/ipfs/collection/collection-requests.ts'
import { startCairn, type Started } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import type { AddsAnswer, AddsOrder } from '../load/adds-thread.ts'
import { addParts, filePart } from '../load/small-adds.ts'
import { median, rounds } from '../measure.ts'

const perSecond = 100
/** Warm-up in which the server collects the garbage of the import and V8 optimizes its code. */
const warmUpMs = 5000
/** About the duration of a collection with concurrent adds, so that both p99 cover equally many adds. */
const idleMs = 30_000
/** Polling interval for the end of the collection. */
const pollMs = 50
/** Lease of blocks without a pin. */
const unpinnedMs = 1000

/** Number of collected blocks, and the p99 of adds in milliseconds. */
type Round = { readonly swept: number; readonly idle: number; readonly during: number }

export async function runCollection({ report, calls }: Bench): Promise<void> {
  const blocks = calls(90_000)
  report.section(`Adds during a collection of ${blocks} blocks`)
  const cairn = await startCairn({
    env: { CAIRN_FILES_UNPINNED_MS: String(unpinnedMs), CAIRN_FILES_GC_INTERVAL_MS: '0' },
  })
  const database = openDatabase(join(cairn.dataDir, 'cairn.db'))
  const rows = createSqliteRows(database, createInlineWriter(database))
  const agent = new Agent({ keepAlive: true })
  try {
    const all: Round[] = []
    for (let round = 0; round < rounds; round++) all.push(await runRound(round))
    const of = (figure: (one: Round) => number) => median(all.map(figure))
    const least = Math.min(...all.map(({ swept }) => swept))
    report.figure('blocks deleted, at least', least, '', { atLeast: blocks })
    report.figure(
      'p99 of an add of 4 KiB, alone',
      of(({ idle }) => idle),
      ' ms',
    )
    report.figure(
      'p99 of an add of 4 KiB, during the collection',
      of(({ during }) => during),
      ' ms',
    )
    const ratio = of(({ idle, during }) => during / idle)
    report.figure('p99 during / without', ratio, '', { atMost: 1.5 })
  } finally {
    agent.destroy()
    database.close()
    await cairn.stop()
  }

  async function runRound(round: number): Promise<Round> {
    await addParts(cairn, agent, 'pin=false&wrap-with-directory=true', manyFiles(blocks, round))
    await wait(2 * unpinnedMs)
    await addAtRate(cairn, async () => false, warmUpMs)
    const idle = await addAtRate(cairn, async () => false, idleMs)
    const asked = await requestCollection(rows, Date.now())
    const during = await addAtRate(
      cairn,
      async () => (await findAnswer(rows, asked)) === null,
      1000,
    )
    const swept = (await findAnswer(rows, asked))?.swept?.blocks ?? 0
    return { swept, idle: p99(idle), during: p99(during) }
  }
}

/** Starts an add every 10 ms, without waiting for earlier ones, for `leastMs` and while `going`. Returns their durations in ms. */
async function addAtRate(
  { url, apiKey, apiKeySecret }: Started,
  going: () => Promise<boolean>,
  leastMs: number,
): Promise<readonly number[]> {
  const order: AddsOrder = { server: { url, apiKey, apiKeySecret }, perSecond }
  const thread = new Worker(new URL('../load/adds-thread.ts', import.meta.url), {
    workerData: order,
  })
  try {
    const answered = once(thread, 'message') as Promise<[AddsAnswer]>
    await wait(leastMs)
    while (await going()) await wait(pollMs)
    thread.postMessage('stop')
    const [answer] = await answered
    if ('error' in answer) throw new Error(answer.error)
    return answer.took
  } finally {
    await thread.terminate()
  }
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
}

function manyFiles(count: number, round: number): Buffer[] {
  return Array.from({ length: count }, (_, at) =>
    filePart(`f${at}`, Buffer.from(`file ${round} ${at}`)),
  )
}
