// Collects unreferenced content: ends leases, takes released roots apart, sweeps, frees disk space. Runs on a schedule and on
// request, one run at a time, with a duty cycle that leaves write time for requests.
import type { Clock } from '../../base/clock.ts'
import { createDutyCycle } from '../../base/duty-cycle.ts'
import type { Log } from '../../base/log.ts'
import type { CollectedSegments, DeleteBlocks } from '../../content/block-store.ts'
import type { Rows } from '../../db/rows.ts'
import type { CountedWriter } from '../../db/writer.ts'
import { deleteExpiredLeases } from '../../tables/leases.ts'
import { type Swept, releaseStep, sweep } from './sweep.ts'

export type GarbageCollector = {
  /** Ends expired leases and releases unreferenced roots, without a sweep. */
  settle(): Promise<void>
  /** Runs a complete collection that includes recent blocks. Null: some pins are not counted, so no sweep ran. */
  collect(): Promise<Swept | null>
  /** Resolves when no work is running any more. */
  stop(): Promise<void>
}

export type GarbageCollectorDeps = {
  readonly rows: Rows
  /** The writer of `rows`. */
  readonly writer: Pick<CountedWriter, 'accepted'>
  readonly deleteBlocks: DeleteBlocks
  readonly segments: CollectedSegments
  /** Counts pins that an earlier version stored without counts; true when all are counted. */
  readonly countPins: (signal: AbortSignal) => Promise<boolean>
  /** Time between two scheduled collections; null: only on request. */
  readonly intervalMs: number | null
  readonly clock: Clock
  readonly log: Log
}

/** Scheduled collections skip blocks younger than this: fetched blocks that are not pinned may still be used for a while. */
const youngMs = 3_600_000
/** Leases that one write ends. */
const leasesAtOnce = 20

/** Starts immediately with the work that an earlier run left. */
export function createGarbageCollector(parts: GarbageCollectorDeps): GarbageCollector {
  const { rows, writer, deleteBlocks, segments, countPins, intervalMs, clock, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const dutyCycle = createDutyCycle({ clock, writeCount: () => writer.accepted })
  let last: Promise<unknown> = Promise.resolve()
  let due = false

  /** Runs tasks one after another, even if the previous one failed. */
  function runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  async function settleNow(): Promise<boolean> {
    const counted = await countPins(signal)
    for (let ended = leasesAtOnce; ended === leasesAtOnce;) {
      signal.throwIfAborted()
      const end = () => rows.write([deleteExpiredLeases(clock.now(), leasesAtOnce)])
      ended = (await dutyCycle.step(1, end, signal))[0] ?? 0
    }
    do signal.throwIfAborted()
    while (await dutyCycle.step(1, () => releaseStep(rows), signal))
    return counted
  }

  async function collectNow(graceMs: number): Promise<Swept | null> {
    if (!(await settleNow())) return null
    // Listed before the sweep counts live blocks: sealed segments can only lose blocks afterwards.
    const sealed = await segments.sealed()
    const before = clock.now() - graceMs
    const { live, ...swept } = await sweep({ rows, deleteBlocks, dutyCycle }, before, signal)
    const freed = await segments.free(sealed, live, dutyCycle, signal)
    log('info', 'collected', { ...swept, freedBytes: freed.bytes })
    return swept
  }

  function logFailure(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!signal.aborted) log('error', 'collection_failed', { error })
    })
  }

  logFailure(runExclusive(settleNow))
  const stopClock =
    intervalMs === null
      ? () => {}
      : clock.every(intervalMs, () => {
          // A collection that takes longer than the interval is not queued a second time.
          if (due) return
          due = true
          logFailure(runExclusive(() => collectNow(youngMs)).finally(() => (due = false)))
        })

  return {
    async settle() {
      await runExclusive(settleNow)
    },
    // One millisecond after now, so that blocks of the current millisecond are swept too.
    collect: () => runExclusive(() => collectNow(-1)),
    async stop() {
      stopClock()
      stopping.abort()
      await last
    },
  }
}
