// Limits of gateway requests (`/ipfs/<cid>`): requests per second and concurrent responses, per key, or per address for requests
// without a key. Checks synchronously before the request runs, except if a share must be taken first.
// Tested by src/access/limits/path-limits.test.ts
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createMemoryShares } from './memory-shares.ts'
import { type Rate, type RateRefusal, overRate } from './rate-limit.ts'
import { type RateShares, createShareSpender } from './rate-shares.ts'

/**
 * `keyId` null: no key, so limits apply per address. `unmetered`: only concurrent responses are limited. `blocks`: a program that
 * reads single blocks, hundreds of requests per file; these have a separate rate.
 */
type GatewayClient = {
  readonly keyId: string | null
  readonly address: string
  readonly unmetered?: boolean
  readonly blocks?: boolean
}

export type PathLimits = {
  /**
   * Charges one request. Returns the function that releases it, to call once. Throws `over_rate` beyond the client's own limits,
   * `overloaded` if the server has the maximum of responses in flight. Returns a promise if a share of the rate must be taken
   * first.
   */
  admit(reader: GatewayClient): (() => void) | Promise<() => void>
}

const readersMax = 100_000

/** Beyond `readersMax` clients, the least recent one is forgotten. Limits are read at each use. */
export function createPathLimits(parts: {
  readonly clock: Clock
  /** 0: no limit. */
  readonly perSecond: () => number
  /** As `perSecond`, for requests of single blocks. */
  readonly blocksPerSecond: () => number
  readonly streamsMax: () => number
  readonly streamsPerReaderMax: () => number
  readonly readersMax?: number
  /** Default: only this process. */
  readonly shares?: RateShares
}): PathLimits {
  const { clock, perSecond, blocksPerSecond, streamsMax, streamsPerReaderMax } = parts
  const most = parts.readersMax ?? readersMax
  const shares = parts.shares ?? createMemoryShares({ clock, bucketsMax: most })
  const buckets = createShareSpender({ shares, clock, bucketsMax: most })
  /** Bounded by `streamsMax`: a client's entry is deleted with its last response. */
  const streams = new Map<string, number>()
  let allActive = 0

  function enter(name: string, subject: string): () => void {
    const active = streams.get(name) ?? 0
    const activeMax = streamsPerReaderMax()
    if (active >= activeMax) {
      const details = `${subject} is limited to ${activeMax} concurrent responses`
      throw new Fault('over_rate', { data: { details } })
    }
    if (allActive >= streamsMax()) throw new Fault('overloaded')
    allActive += 1
    streams.set(name, active + 1)
    let ended = false
    return () => {
      if (ended) return
      ended = true
      allActive -= 1
      const remaining = (streams.get(name) ?? 1) - 1
      if (remaining === 0) streams.delete(name)
      else streams.set(name, remaining)
    }
  }

  return {
    admit({ keyId, address, unmetered = false, blocks = false }) {
      const name = keyId === null ? `address ${networkOf(address)}` : `key ${keyId}`
      const subject = keyId === null ? 'this address' : 'this key'
      const limit = blocks ? blocksPerSecond() : perSecond()
      if (unmetered || limit === 0) return enter(name, subject)
      const rate = { perSecond: limit, burst: limit }
      const pass = (refusal: RateRefusal | null): (() => void) => {
        if (refusal !== null) throw tooManyRequests(rate, refusal, subject)
        return enter(name, subject)
      }
      const refusal = buckets.spend(`${blocks ? 'blocks' : 'paths'} ${name}`, rate, 1)
      return refusal instanceof Promise ? refusal.then(pass) : pass(refusal)
    },
  }
}

function tooManyRequests(rate: Rate, refusal: RateRefusal, subject: string): Fault {
  return overRate(rate, refusal, `${subject} is limited to ${rate.perSecond} requests per second`)
}
