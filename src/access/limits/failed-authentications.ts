// Limit of wrong keys and secrets per address; beyond it they are refused without a database read. Valid keys are
// never checked, so other clients behind the same address are not blocked.
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { takeUnits } from './gcra.ts'
import { overRate } from './rate-refusal.ts'

export type FailedAuthentications = {
  /** Returns true if an unknown key of this address may still cause a database read. Does not count. */
  isUnder(address: string): boolean
  /** Counts one refused credential. Throws `over_rate` when the address has brought too many. */
  count(address: string): void
}

const addressesMax = 10_000
const refusals: ReadonlySet<FaultCode> = new Set(['bad_key', 'bad_secret', 'bad_token'])

/** Beyond `addressesMax` addresses the one that failed longest ago starts afresh. */
export function createFailedAuthentications(parts: {
  readonly clock: Clock
  readonly perMinute: () => number
  readonly addressesMax?: number
}): FailedAuthentications {
  const { clock, perMinute } = parts
  const most = parts.addressesMax ?? addressesMax
  const rateNow = () => ({ perSecond: perMinute() / 60, burst: perMinute() })
  // Network -> when it will be even again; in the order of the last failure.
  const evenAt = new Map<string, number>()

  function check(network: string) {
    return takeUnits(evenAt.get(network) ?? 0, clock.monotonic(), 1, rateNow())
  }

  return {
    isUnder: (address) => check(networkOf(address)).ok,

    count(address) {
      const network = networkOf(address)
      const verdict = check(network)
      const even = verdict.ok ? verdict.evenAt : (evenAt.get(network) ?? 0)
      setNewest(evenAt, network, even, most)
      if (verdict.ok) return
      const details = `this address may bring ${perMinute()} wrong keys or secrets a minute`
      throw overRate(rateNow(), verdict, details)
    },
  }
}

type Authenticate<Result> = (
  key: string,
  secret: string | null,
  address: string,
  jwt?: string,
) => Result

/**
 * Wraps `authenticate` and counts its refusals by address, also rejected promises. Throws its errors, or `over_rate`
 * instead.
 */
export function guardAuthentication<Result>(
  authenticate: Authenticate<Result>,
  failed: FailedAuthentications,
): Authenticate<Result> {
  return (key, secret, address, jwt) => {
    function refuse(thrown: unknown): never {
      const refused = thrown instanceof Fault && refusals.has(thrown.code)
      if (refused) failed.count(address)
      throw thrown
    }
    try {
      const result = authenticate(key, secret, address, jwt)
      return result instanceof Promise ? (result.catch(refuse) as Result) : result
    } catch (thrown) {
      return refuse(thrown)
    }
  }
}
