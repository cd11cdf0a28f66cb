// Limits of gateway requests (`/ipfs/<cid>`): requests per second and concurrent responses, by key, or by address for
// requests without a key. Checked before the request runs, in memory.
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { Fault } from '../../base/fault.ts'
import { overRate, takeUnits } from './rate-limit.ts'

/** `keyId` null: no key, so the address counts. `unmetered`: concurrent responses are limited, requests are not. */
type GatewayClient = {
  readonly keyId: string | null
  readonly address: string
  readonly unmetered?: boolean
}

export type PathLimits = {
  /**
   * Takes one request. Returns what ends it, to be called once. Throws `over_rate` by the reader's own limits,
   * `overloaded` when the server has as many answers under way as it may.
   */
  admit(reader: GatewayClient): () => void
}

const readersMax = 100_000

/** Beyond `readersMax` readers the one that asked longest ago starts afresh. Limits are read at each use. */
export function createPathLimits(parts: {
  readonly clock: Clock
  /** 0: no limit. */
  readonly perSecond: () => number
  readonly streamsMax: () => number
  readonly streamsPerReaderMax: () => number
  readonly readersMax?: number
}): PathLimits {
  const { clock, perSecond, streamsMax, streamsPerReaderMax } = parts
  const most = parts.readersMax ?? readersMax
  const evenAt = new Map<string, number>()
  /** Bounded by `streamsMax`: a reader leaves with its last answer. */
  const streams = new Map<string, number>()
  let underWay = 0

  function takeRate(name: string, whose: string): void {
    const limit = perSecond()
    if (limit === 0) return
    const rate = { perSecond: limit, burst: limit }
    const verdict = takeUnits(evenAt.get(name) ?? 0, clock.monotonic(), 1, rate)
    if (!verdict.ok) {
      throw overRate(rate, verdict, `${whose} is limited to ${limit} requests per second`)
    }
    setNewest(evenAt, name, verdict.evenAt, most)
  }

  return {
    admit({ keyId, address, unmetered = false }) {
      const name = keyId === null ? `address ${networkOf(address)}` : `key ${keyId}`
      const whose = keyId === null ? 'this address' : 'this key'
      if (!unmetered) takeRate(name, whose)
      const own = streams.get(name) ?? 0
      const ownMax = streamsPerReaderMax()
      if (own >= ownMax) {
        const details = `${whose} is limited to ${ownMax} concurrent responses`
        throw new Fault('over_rate', { data: { details } })
      }
      if (underWay >= streamsMax()) throw new Fault('overloaded')
      underWay += 1
      streams.set(name, own + 1)
      let ended = false
      return () => {
        if (ended) return
        ended = true
        underWay -= 1
        const left = (streams.get(name) ?? 1) - 1
        if (left === 0) streams.delete(name)
        else streams.set(name, left)
      }
    },
  }
}
