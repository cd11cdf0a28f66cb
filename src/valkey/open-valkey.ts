// Opens everything that nodes share over one Valkey. Other folders import only this module.
// Tested by test/server/two-nodes.test.ts
import type { RateShares } from '../access/limits/rate-shares.ts'
import type { SharedCounters } from '../access/limits/period-count.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { PubSub } from '../base/pub-sub.ts'
import { connectValkey, randomNodeName } from './connection.ts'
import { joinNodes } from './nodes.ts'
import { createValkeyCounters } from './valkey-counters.ts'
import type { InspectorStore } from '../pipeline/inspector/inspector-store.ts'
import type { FilterStore } from '../rpc/filters/filter-store.ts'
import { createValkeyFilters } from './valkey-filters.ts'
import { createValkeyInspections } from './valkey-inspections.ts'
import { createValkeyPubSub } from './valkey-pub-sub.ts'
import { type AloneMode, createValkeyShares } from './valkey-shares.ts'

export type OpenValkey = {
  readonly shares: RateShares
  readonly counters: SharedCounters
  readonly pubSub: PubSub
  readonly filters: FilterStore
  readonly inspections: InspectorStore
  state(): {
    readonly count: number
    readonly state: 'shared' | 'alone'
    readonly misses: number
  }
  close(): Promise<void>
}

/** Time limit of startup for the connection. Without one the node starts alone, and logs it. */
const connectMs = 2_000

export async function openValkey(parts: {
  readonly url: string
  /** Null: the host name. */
  readonly name: string | null
  readonly host: string
  readonly alone: () => AloneMode
  readonly clock: Clock
  readonly log: Log
}): Promise<OpenValkey> {
  const { url, clock, log } = parts
  const connection = connectValkey({ url, clock, log })
  await connection.ready(connectMs)
  // Unique even if two machines have the same settings or host name.
  const name = randomNodeName(parts.name ?? parts.host)
  const nodes = await joinNodes({ connection, name, clock })
  const pubSub = createValkeyPubSub(connection)
  log('info', 'node_joined', { node: name, nodes: nodes.count, state: connection.state })
  return {
    shares: createValkeyShares({
      connection,
      nodes: () => nodes.count,
      alone: parts.alone,
      clock,
    }),
    counters: createValkeyCounters(connection),
    pubSub,
    filters: createValkeyFilters(connection),
    inspections: createValkeyInspections(connection),
    state: () => ({ count: nodes.count, state: connection.state, misses: connection.misses }),
    async close() {
      await nodes.stop()
      await pubSub.close()
      await connection.close()
    },
  }
}
