// Looks up providers of a block: in routers immediately, in the DHT if no provider was found after a second.
// Tested by src/ipfs/network/child/provider-lookup.test.ts
import { type CID } from 'multiformats/cid'
import type { Clock } from '../../../base/clock.ts'
import { decodeCid } from '../../../codec/ipld/cid.ts'
import type { Provider } from './block-peer.ts'
import type { SessionParts } from './bitswap-session.ts'

type Finder = {
  findProviders(cid: CID, take: (provider: Provider) => void, signal: AbortSignal): Promise<boolean>
}

export const dhtDelayMs = 1_000

/** Without routers and DHT, a lookup never counts as complete. */
export function createProviderLookup(parts: {
  readonly routers: Finder & { readonly count: number }
  readonly dht: Finder | null
  readonly clock: Clock
}): SessionParts['lookUp'] {
  const { clock, dht, routers } = parts

  return async (bytes, deep, take, signal) => {
    const cid = decodeCid(bytes)
    if (cid === null || (routers.count === 0 && dht === null)) return false
    let found = 0
    const note = (provider: Provider): void => {
      found += 1
      take(provider)
    }
    const answered = routers.findProviders(cid, note, signal)
    if (dht === null) return await answered
    const isLate = Promise.withResolvers<void>()
    const stop = clock.after(dhtDelayMs, isLate.resolve)
    if (!deep) await Promise.race([isLate.promise, answered])
    stop()
    if (found > 0 && !deep) return await answered
    const both = await Promise.all([answered, dht.findProviders(cid, note, signal)])
    return both.every(Boolean)
  }
}
