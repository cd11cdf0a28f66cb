// Collects unreferenced content: ends leases, gives released roots back, sweeps, frees the disk. On a schedule and
// when it is asked; one at a time, and at the pace that leaves those who write their time.
import type { Clock } from '../../base/clock.ts'
import { createDutyCycle } from '../../base/duty-cycle.ts'
import type { Log } from '../../base/log.ts'
import type { CollectedSegments, DeleteBlocks } from '../../content/block-store.ts'
import type { Rows } from '../../db/rows.ts'
import type { CountedWriter } from '../../db/writer.ts'
import { deleteExpiredLeases } from '../../tables/leases.ts'
import { type Swept, releaseStep, sweep } from './sweep.ts'

export type GarbageCollector = {
  /** Ends what is over and gives back what was released, without a sweep. */
  settle(): Promise<void>
  /** A whole collection, of young blocks too. Null: pins are not counted, so nothing was swept. */
  collect(): Promise<Swept | null>
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export type GarbageCollectorDeps = {
  readonly rows: Rows
  /** That of `rows`. */
  readonly writer: Pick<CountedWriter, 'taken'>
  readonly deleteBlocks: DeleteBlocks
  readonly segments: CollectedSegments
  /** Counts pins of an earlier version; true when all are counted. */
  readonly countPins: (signal: AbortSignal) => Promise<boolean>
  /** Between two collections; null: only when asked. */
  readonly intervalMs: number | null
  readonly clock: Clock
  readonly log: Log
}

/** What was fetched and not pinned is of use for a while: the schedule leaves it this long. */
const youngMs = 3_600_000
/** Leases that end in one write. */
const leasesAtOnce = 20

/** Starts at once with what an earlier run left. */
export function createGarbageCollector(parts: GarbageCollectorDeps): GarbageCollector {
  const { rows, writer, deleteBlocks, segments, countPins, intervalMs, clock, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const dutyCycle = createDutyCycle({ clock, taken: () => writer.taken })
  let last: Promise<unknown> = Promise.resolve()
  let due = false

  /** One after the other, whether the one before worked or not. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
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
    // Asked before the sweep counts what lives: those can only lose blocks from here on.
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

  logFailure(inTurn(settleNow))
  const stopClock =
    intervalMs === null
      ? () => {}
      : clock.every(intervalMs, () => {
          // One that takes longer than the interval is not queued behind itself.
          if (due) return
          due = true
          logFailure(inTurn(() => collectNow(youngMs)).finally(() => (due = false)))
        })

  return {
    async settle() {
      await inTurn(settleNow)
    },
    // One millisecond later than now: what came in this very one is swept as well.
    collect: () => inTurn(() => collectNow(-1)),
    async stop() {
      stopClock()
      stopping.abort()
      await last
    },
  }
}
