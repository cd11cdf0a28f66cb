// The DHT as a client: finds providers, peers and IPNS records, and announces provider records of this node. The number and time of
// lookups are limited, and their results are untrusted.
// Tested by src/ipfs/network/child/dht.test.ts, test/network/dht.test.ts
import { peerIdFromString } from '@libp2p/peer-id'
import type { KadDHT, QueryEvent } from '@libp2p/kad-dht'
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../../base/clock.ts'
import { withDeadline } from '../../../base/deadline.ts'
import { createRateLimitedSemaphore } from '../../../base/rate-limited-semaphore.ts'
import type { ProviderCheck } from '../net-messages.ts'
import { kadOf } from '../provide-times.ts'
import type { Provider } from './block-peer.ts'
import type { DhtPeer } from './dht-zone.ts'
import type { NetNode } from './node.ts'
import { splitAddresses } from './routers.ts'

export type Dht = {
  /** Calls `take` for each provider. Resolves to whether DHT peers answered. */
  findProviders(cid: CID, take: (provider: Provider) => void, signal: AbortSignal): Promise<boolean>
  /** Numbers of peers that answered a lookup of providers, and that listed this node. */
  checkProvider(cid: CID, signal: AbortSignal): Promise<Pick<ProviderCheck, 'answered' | 'listed'>>
  findPeer(peer: string, signal: AbortSignal): Promise<readonly string[]>
  /** Distinct records of a key, not sorted by age. Not validated. */
  getRecords(key: Uint8Array, signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Number of peers that stored the record. */
  putRecord(key: Uint8Array, record: Uint8Array, signal: AbortSignal): Promise<number>
  /** The peers closest to a key, of those that answered. */
  closestPeers(key: Uint8Array, signal: AbortSignal): Promise<readonly DhtPeer[]>
  /** Number of peers that accepted a provider record with the announced addresses. */
  provide(cid: CID, signal: AbortSignal): Promise<number>
  readonly lookups: number
  /** Number of peers in the routing table. */
  readonly peers: number
}

export const dhtLimits = {
  lookups: 16,
  waiting: 2048,
  lookupMs: 30_000,
  provideMs: 60_000,
  providersMax: 100,
  recordsMax: 16,
  recordBytesMax: 10 * 1024,
} as const

export function createDht(dht: KadDHT, node: NetNode, clock: Clock): Dht {
  const self = node.libp2p.peerId.toString()
  const semaphore = createRateLimitedSemaphore(
    { concurrency: dhtLimits.lookups, perSecond: null, queuedMax: dhtLimits.waiting },
    clock,
  )
  let lookups = 0

  /** `isLast` returns true when the lookup has enough results. Resolves to false if the lookup failed or could not start. */
  async function run(
    query: (signal: AbortSignal) => AsyncIterable<QueryEvent>,
    ms: number,
    signal: AbortSignal,
    isLast: (event: QueryEvent) => boolean,
  ): Promise<boolean> {
    const admission = semaphore.acquire('content', signal)
    if (admission === null) return false
    try {
      await admission
    } catch {
      return false
    }
    lookups += 1
    const enough = new AbortController()
    using deadline = withDeadline(AbortSignal.any([signal, enough.signal]), ms, clock)
    try {
      for await (const event of query(deadline.signal)) if (isLast(event)) break
      return true
    } catch {
      return false
    } finally {
      enough.abort()
      semaphore.release('content')
    }
  }

  return {
    async findProviders(cid, take, signal) {
      let answers = 0
      let found = 0
      const isWhole = await run(
        (deadline) => dht.findProviders(cid, { signal: deadline }),
        dhtLimits.lookupMs,
        signal,
        (event) => {
          if (event.name === 'PEER_RESPONSE') answers += 1
          if (event.name !== 'PROVIDER') return false
          for (const { id, multiaddrs } of event.providers) {
            if (id.toString() === self) continue
            found += 1
            splitAddresses(id.toString(), multiaddrs.map(String)).forEach(take)
          }
          return found >= dhtLimits.providersMax
        },
      )
      return isWhole && answers > 0
    },
    async checkProvider(cid, signal) {
      const counts = { answered: 0, listed: 0 }
      await run(
        (deadline) => dht.findProviders(cid, { signal: deadline }),
        dhtLimits.lookupMs,
        signal,
        (event) => {
          // The first event may be what this node stores itself.
          if (event.name !== 'PEER_RESPONSE' || event.from.toString() === self) return false
          counts.answered += 1
          if (event.providers.some(({ id }) => id.toString() === self)) counts.listed += 1
          return false
        },
      )
      return counts
    },
    async findPeer(peer, signal) {
      let found: readonly string[] = []
      await run(
        (deadline) => dht.findPeer(peerIdFromString(peer), { signal: deadline }),
        dhtLimits.lookupMs,
        signal,
        (event) => {
          if (event.name !== 'FINAL_PEER') return false
          found = event.peer.multiaddrs.map(String)
          return found.length > 0
        },
      )
      return found
    },
    async getRecords(key, signal) {
      const records = new Map<string, Uint8Array>()
      await run(
        (deadline) => dht.get(key, { signal: deadline }),
        dhtLimits.lookupMs,
        signal,
        (event) => {
          const value = event.name === 'PEER_RESPONSE' ? event.record?.value : undefined
          if (value !== undefined && value.length <= dhtLimits.recordBytesMax) {
            records.set(Buffer.from(value).toString('latin1'), value)
          }
          return records.size >= dhtLimits.recordsMax
        },
      )
      return [...records.values()]
    },
    async putRecord(key, record, signal) {
      let stored = 0
      await run(
        (deadline) => dht.put(key, record, { signal: deadline }),
        dhtLimits.provideMs,
        signal,
        (event) => {
          if (event.name === 'PEER_RESPONSE' && event.messageName === 'PUT_VALUE') stored += 1
          return false
        },
      )
      return stored
    },
    async closestPeers(key, signal) {
      const found: DhtPeer[] = []
      await run(
        (deadline) => dht.getClosestPeers(key, { signal: deadline }),
        dhtLimits.provideMs,
        signal,
        (event) => {
          if (event.name !== 'FINAL_PEER') return false
          const { id, multiaddrs } = event.peer
          const kad = kadOf(id.toMultihash().bytes)
          found.push({ id: id.toString(), kad, addresses: multiaddrs.map(String) })
          return false
        },
      )
      return found
    },
    async provide(cid, signal) {
      let stored = 0
      await run(
        (deadline) => dht.provide(cid, { signal: deadline }),
        dhtLimits.provideMs,
        signal,
        (event) => {
          if (event.name === 'PEER_RESPONSE' && event.messageName === 'ADD_PROVIDER') stored += 1
          return false
        },
      )
      // The server schedules announcements, so the DHT client does not store them.
      await dht.cancelReprovide(cid).catch(() => {})
      return stored
    },
    get lookups() {
      return lookups
    },
    get peers() {
      const { routingTable } = dht as KadDHT & { readonly routingTable?: { readonly size: number } }
      return routingTable?.size ?? 0
    },
  }
}
