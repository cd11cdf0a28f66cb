// Garbage collection requested by another process: it inserts a row and the server answers in it, so `cairn gc` needs no other
// connection than the shared database.
// Tested by src/ipfs/collection/collection-requests.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import {
  insertCollection,
  endCollections,
  findCollectionResult,
  findLatestCollection,
  findLatestOpenCollection,
} from '../../tables/collections.ts'
import type { GarbageCollector } from './garbage-collector.ts'
import type { Swept } from './sweep.ts'

/** Number of answered requests that are retained for their clients to read. */
const resultsMax = 100
const lookMs = 1000

/** `swept` null: no sweep ran, and `error` contains the reason. */
export type Answered = { readonly swept: Swept | null; readonly error: string }

export const notCounted =
  'pins of an earlier version are not counted yet: nothing is collected until they are'

/** Requests a collection; returns the ID of the request. */
export async function requestCollection(rows: Rows, now: number): Promise<number> {
  await rows.write([insertCollection(now)])
  return (await rows.first(findLatestCollection()))?.id ?? 0
}

/** Null: not answered yet. */
export async function findAnswer(rows: Rows, id: number): Promise<Answered | null> {
  const row = await rows.first(findCollectionResult(id))
  if (row === null) return null
  const { blocks, bytes, error } = row
  return {
    swept: blocks === null || bytes === null ? null : { blocks, bytes },
    error: error ?? '',
  }
}

/** Answers all requests up to `latest`, the ID of the newest one. */
export function answerRequests(
  latest: number,
  { swept, error }: Answered,
  now: number,
): readonly Statement[] {
  const result = { blocks: swept?.blocks ?? null, bytes: swept?.bytes ?? null, error }
  return endCollections(latest, result, { ended: now, resultsMax })
}

/** Runs one collection and returns its result as an answer. */
export async function collectFor(collector: GarbageCollector): Promise<Answered> {
  try {
    const swept = await collector.collect()
    return { swept, error: swept === null ? notCounted : '' }
  } catch (thrown) {
    return { swept: null, error: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

/** Polls for requests once a second; one collection answers all requests that were made before it began. */
export function watchRequests(parts: {
  readonly rows: Rows
  readonly collector: GarbageCollector
  readonly clock: Clock
  readonly log: Log
}): { stop(): void } {
  const { rows, collector, clock, log } = parts
  let answering = false
  let stopped = false

  /** Never rejects. */
  async function look(): Promise<void> {
    if (answering) return
    answering = true
    try {
      const latest = (await rows.first(findLatestOpenCollection()))?.id ?? null
      // The collector may have stopped during the read; its error would then become the answer.
      if (latest === null || stopped) return
      const answered = await collectFor(collector)
      // The shutdown aborted the collection, so the request stays open for the next server or for the command itself.
      if (stopped && answered.swept === null) return
      await rows.write(answerRequests(latest, answered, clock.now()))
    } catch (error) {
      log('error', 'collection_not_answered', { error })
    } finally {
      answering = false
    }
  }

  const stopClock = clock.every(lookMs, () => void look())
  return {
    stop() {
      stopped = true
      stopClock()
    },
  }
}
