// The calls that the keeper answers for its workers.
// Tested by test/server/workers.test.ts
import type { FlushedRow } from '../../access/usage/usage-row.ts'
import type { NumberedFlush } from '../../access/usage/usage-spool.ts'
import type { Usage } from '../../access/usage/usage.ts'
import type { Clock } from '../../base/clock.ts'
import type { Network } from '../../chain/network.ts'
import type { ChainPoint } from '../../chain/reorg-path.ts'
import type { Writer, Statement } from '../../db/writer.ts'
import type { Counters, Counts } from '../../metrics/counters.ts'
import { type Arrivals, readArrivals } from '../../rpc/filters/arrivals.ts'
import type { Listeners } from '../listeners.ts'
import { joinStatuses, type Statuses, type WorkerUpstream } from './join-statuses.ts'
import { createMessageCalls, type MessageCalls } from './shared-messages.ts'
import { createLimitCalls, type LimitCalls, type SharedLimits } from './shared-limits.ts'

/** Each may run twice, because a worker repeats a call whose reply was lost. A repeated `report` counts twice. */
export type WorkerCalls = LimitCalls &
  MessageCalls & {
    readonly write: (statements: readonly Statement[]) => Promise<readonly number[]>
    /** Forwards usage rows that the worker has written. */
    readonly flushed: (rows: readonly FlushedRow[]) => void
    /** Stores a flush of usage for a remote database, and writes it later. False: the worker must send it again. */
    readonly usage: (flush: NumberedFlush) => boolean
    readonly report: (report: WorkerReport) => void
    /** Pending transactions of the network with this name, as `readArrivals`. */
    readonly arrivals: (request: {
      readonly network: string
      readonly from: ChainPoint | null
      readonly max: number
    }) => Arrivals
    /** The worker with this number ends: drains the connections that it passed on. */
    readonly leave: (worker: number) => void
  }

type WorkerReport = {
  readonly worker: number
  /** Open connections. */
  readonly connections: number
  /** Counts since the last report. */
  readonly counts: Counts
  readonly upstreams: readonly WorkerUpstream[]
}

/** Maximum age of a report; workers report every second. */
const reportsRetainedMs = 5_000

export type WorkerCallsParts = {
  readonly writer: Writer
  readonly usage: Pick<Usage, 'accept' | 'addFlushed'>
  readonly counters: Pick<Counters, 'add'>
  readonly listeners: Pick<Listeners, 'drainWorker'>
  readonly networks: () => readonly Network[]
  readonly limits: SharedLimits
  readonly messages: Parameters<typeof createMessageCalls>[0]
  readonly clock: Pick<Clock, 'monotonic'>
}

export function createWorkerCalls(parts: WorkerCallsParts): {
  readonly calls: WorkerCalls
  /** Replaces the connections that workers passed on by the client connections of the workers. */
  addConnections(local: ReadonlyMap<string, number>): ReadonlyMap<string, number>
  /** Combines the status with the workers' reports about their upstreams. */
  addStatuses(local: Statuses): Statuses
} {
  const { writer, usage, counters, listeners, networks, clock } = parts
  // Old reports, as of a killed worker, are removed at the next read.
  const reports = new Map<number, Omit<WorkerReport, 'counts'> & { readonly at: number }>()

  function recent(): readonly Omit<WorkerReport, 'counts'>[] {
    const since = clock.monotonic() - reportsRetainedMs
    for (const [worker, { at }] of reports) if (at < since) reports.delete(worker)
    return [...reports.values()]
  }

  return {
    calls: {
      ...createLimitCalls(parts.limits),
      ...createMessageCalls(parts.messages),
      write: (statements) => writer.write(statements),
      flushed: (rows) => usage.addFlushed(rows),
      usage: (flush) => usage.accept(flush),
      report({ counts, ...report }) {
        reports.set(report.worker, { ...report, at: clock.monotonic() })
        counters.add(counts)
      },
      arrivals({ network, from, max }) {
        const found = networks().find(({ name }) => name === network)
        return found === undefined ? 'elsewhere' : readArrivals(found.pool.arrivals, from, max)
      },
      leave(worker) {
        reports.delete(worker)
        listeners.drainWorker(worker)
      },
    },
    addConnections(local) {
      const all = recent()
      if (all.length === 0) return local
      return new Map([...local, ['faces', all.reduce((sum, one) => sum + one.connections, 0)]])
    },
    addStatuses: (local) =>
      joinStatuses(
        local,
        recent().flatMap(({ upstreams }) => upstreams),
      ),
  }
}
