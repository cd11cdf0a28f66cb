// Turns a server into the keeper of workers. A server with one process loads none of this.
// Tested by test/server/workers.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createMemoryPubSub, type PubSub } from '../../base/pub-sub.ts'
import { createMemoryFilters, type FilterStore } from '../../rpc/filters/filter-store.ts'
import { openKeeperSocket } from './keeper-socket.ts'
import type { KeeperPaths } from './role.ts'
import type { Statuses } from './join-statuses.ts'
import { createSharedLimits, type SharedLimits } from './shared-limits.ts'
import { createWorkerCalls, type WorkerCallsParts } from './worker-calls.ts'

export type KeeperParts = {
  readonly paths: KeeperPaths
  /** Called when workers can start; resolves with the port that they listen on. */
  readonly bound: () => Promise<number>
  readonly createLimits: (clock: Clock) => SharedLimits
  readonly createMessages: (clock: Clock) => {
    readonly pubSub: PubSub
    readonly filters: FilterStore
  }
  /** Starts to answer the calls of workers. */
  openCalls(parts: WorkerCallsParts & { readonly log: Log }): Promise<KeeperCalls>
}

type KeeperCalls = {
  /** Replaces the connections that workers passed on by the client connections of the workers. */
  addConnections(local: ReadonlyMap<string, number>): ReadonlyMap<string, number>
  /** Combines the status with the workers' reports about their upstreams. */
  addStatuses(local: Statuses): Statuses
  close(): Promise<void>
}

export function createKeeperParts({
  paths,
  bound,
}: Pick<KeeperParts, 'paths' | 'bound'>): KeeperParts {
  return {
    paths,
    bound,
    createLimits: createSharedLimits,
    createMessages: (clock) => ({
      pubSub: createMemoryPubSub(),
      filters: createMemoryFilters(clock),
    }),
    async openCalls({ log, ...parts }) {
      const { calls, ...sums } = createWorkerCalls(parts)
      const socket = await openKeeperSocket({ path: paths.links, calls, log })
      return { ...sums, close: () => socket.close() }
    },
  }
}
