// Announces many multihashes of one region of the keyspace: finds the region's peers once, then sends each peer all records that
// belong to it. In a small DHT the zone of a region also covers the next regions.
// Tested by src/ipfs/network/child/sweep.test.ts, test/network/sweep.test.ts
import { kadOf } from '../provide-times.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Dht } from './dht.ts'
import {
  closestPeers,
  type DhtPeer,
  digitsOf,
  findZone,
  peersOfRecord,
  type Zone,
} from './dht-zone.ts'

export type Sweep = {
  /** Number of peers that stored each multihash. All keys share their first `bits` bits. Never rejects. */
  announce(multihashes: readonly Uint8Array[], bits: number): Promise<readonly number[]>
}

export type SweepParts = {
  readonly dht: Pick<Dht, 'closestPeers' | 'peers'>
  /** Resolves to whether the peer took all records. */
  readonly send: (peer: DhtPeer, multihashes: readonly Uint8Array[]) => Promise<boolean>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** How long the peers of a zone are reused. */
export const zoneMs = 10 * 60_000
/** Peers that receive records at the same time. */
export const sendsMax = 16

export function createSweep({ dht, send, clock }: SweepParts): Sweep {
  let current: { readonly zone: Zone; readonly until: number } | null = null
  let finding: Promise<unknown> = Promise.resolve()

  /** Runs one search at a time, because a second search in the same zone can reuse the result of the first. */
  function zoneAt(prefix: string): Promise<Zone | null> {
    const found = finding.then(async () => {
      if (current !== null && clock.monotonic() < current.until) {
        if (prefix.startsWith(current.zone.prefix)) return current.zone
      }
      const zone = await findZone(prefix, {
        walk: (key) => dht.closestPeers(key, new AbortController().signal),
        isSmall: () => dht.peers < peersOfRecord,
      })
      current = zone === null ? null : { zone, until: clock.monotonic() + zoneMs }
      return zone
    })
    finding = found.catch(() => {})
    return found
  }

  return {
    async announce(multihashes, bits) {
      const stored = multihashes.map(() => 0)
      const [first] = multihashes
      const zone = first === undefined ? null : await zoneAt(digitsOf(kadOf(first)).slice(0, bits))
      if (zone === null) return stored
      const rest = [...recordsByPeer(multihashes, zone.peers)]
      const sendNext = async (): Promise<void> => {
        for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
          const [peer, places] = next
          const records = places.flatMap((at) => multihashes[at] ?? [])
          if (!(await send(peer, records))) continue
          for (const at of places) stored[at] = (stored[at] ?? 0) + 1
        }
      }
      await Promise.all(Array.from({ length: sendsMax }, () => sendNext()))
      return stored
    },
  }
}

/** Maps each peer to the positions of its multihashes. */
function recordsByPeer(
  multihashes: readonly Uint8Array[],
  peers: readonly DhtPeer[],
): ReadonlyMap<DhtPeer, readonly number[]> {
  const records = new Map<DhtPeer, number[]>()
  for (const [at, multihash] of multihashes.entries()) {
    for (const peer of closestPeers(kadOf(multihash), peers)) {
      const places = records.get(peer)
      if (places === undefined) records.set(peer, [at])
      else places.push(at)
    }
  }
  return records
}
