// What makes a server the keeper of workers. The server of one process loads none of it.
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
  /** Begins to answer the calls of workers. */
  openCalls(parts: WorkerCallsParts & { readonly log: Log }): Promise<KeeperCalls>
}

type KeeperCalls = {
  /** With the connections of the workers instead of those that they passed on. */
  addConnections(own: ReadonlyMap<string, number>): ReadonlyMap<string, number>
  /** With what the workers report of their upstreams. */
  addStatuses(own: Statuses): Statuses
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
