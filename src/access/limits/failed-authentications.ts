// How many wrong keys and secrets one address may bring before they are answered without a look at the
// database. Never asked about a good key: whoever else sits behind the same address is not shut out.
import { networkOf } from '../../base/address.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { setNewest } from '../../base/set-newest.ts'
import { takeUnits } from './gcra.ts'
import { overRate } from './rate-refusal.ts'

export type FailedAuthentications = {
  /** May an unknown key of this address still cost a look at the database? Changes nothing. */
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

  function judge(network: string) {
    return takeUnits(evenAt.get(network) ?? 0, clock.monotonic(), 1, rateNow())
  }

  return {
    isUnder: (address) => judge(networkOf(address)).ok,

    count(address) {
      const network = networkOf(address)
      const verdict = judge(network)
      const even = verdict.ok ? verdict.evenAt : (evenAt.get(network) ?? 0)
      setNewest(evenAt, network, even, most)
      if (verdict.ok) return
      const details = `this address may bring ${perMinute()} wrong keys or secrets a minute`
      throw overRate(rateNow(), verdict, details)
    },
  }
}

type Judge<Judged> = (key: string, secret: string | null, address: string, jwt?: string) => Judged

/**
 * `judge`, with its refusals counted by address, also those that a promise brings. Throws what it throws, or `over_rate`
 * in its place.
 */
export function guardAuthentication<Judged>(
  judge: Judge<Judged>,
  failed: FailedAuthentications,
): Judge<Judged> {
  return (key, secret, address, jwt) => {
    function refuse(thrown: unknown): never {
      const refused = thrown instanceof Fault && refusals.has(thrown.code)
      if (refused) failed.count(address)
      throw thrown
    }
    try {
      const judged = judge(key, secret, address, jwt)
      return judged instanceof Promise ? (judged.catch(refuse) as Judged) : judged
    } catch (thrown) {
      return refuse(thrown)
    }
  }
}
