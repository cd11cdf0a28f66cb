// Runs garbage collections: by schedule, and on request by a row of the database (`cairn gc`).
// Tested by test/cli/gc.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Obtain } from '../content/ref.ts'
import type { ServerStore } from '../content/block-store.ts'
import type { Rows } from '../db/rows.ts'
import type { CountedWriter } from '../db/writer.ts'
import { watchRequests } from '../ipfs/collection/collection-requests.ts'
import {
  type GarbageCollector,
  createGarbageCollector,
} from '../ipfs/collection/garbage-collector.ts'
import { countPins } from '../ipfs/pins/count-pins.ts'

export type CollectingParts = {
  readonly config: Pick<Config, 'files'>
  readonly rows: Rows
  /** The writer of `rows`. */
  readonly writer: Pick<CountedWriter, 'accepted'>
  readonly store: ServerStore
  /** Default: `store`. Otherwise a store over fenced rows, which only one machine can write. */
  readonly collected?: Pick<ServerStore, 'delete' | 'segments'>
  readonly obtain: Obtain
  readonly clock: Clock
  readonly log: Log
}

/** `intervalMs` null: collects only on request. */
export function openCollector(parts: CollectingParts, intervalMs: number | null): GarbageCollector {
  const { config, rows, writer, store, collected = store, obtain, clock, log } = parts
  const { blocksMax } = config.files
  return createGarbageCollector({
    rows,
    writer,
    deleteBlocks: collected.delete,
    segments: collected.segments,
    countPins: (signal) => countPins({ store, rows, obtain, blocksMax, log }, signal),
    intervalMs,
    clock,
    log,
  })
}

export function startCollecting(parts: CollectingParts): { stop(): Promise<void> } {
  const { gcIntervalMs } = parts.config.files
  const collector = openCollector(parts, gcIntervalMs === 0 ? null : gcIntervalMs)
  const requests = watchRequests({ ...parts, collector })
  return {
    async stop() {
      requests.stop()
      await collector.stop()
    },
  }
}
