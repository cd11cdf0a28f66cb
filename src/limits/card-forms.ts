// How many forms to add a card one address may begin in a day, whichever the accounts: who tries stolen cards comes
// from few addresses with many accounts.
import { networkOf } from '../base/address.ts'
import type { Clock } from '../base/clock.ts'
import { takeUnits } from './gcra.ts'
import { overRate } from './over-rate.ts'

const addressesMax = 10_000
const daySeconds = 86_400

/**
 * Counts one form of an address (IPv6: of its /64). Throws `over_rate` for too many. In memory; beyond
 * `addressesMax` addresses the one that began longest ago starts afresh.
 */
export function createCardForms(parts: {
  readonly clock: Clock
  readonly perDay: () => number
}): (address: string) => void {
  const { clock, perDay } = parts
  const evenAt = new Map<string, number>()
  return (address) => {
    const network = networkOf(address)
    const rate = { perSecond: perDay() / daySeconds, burst: perDay() }
    const verdict = takeUnits(evenAt.get(network) ?? 0, clock.monotonic(), 1, rate)
    if (!verdict.ok) {
      throw overRate(rate, verdict, `this address may begin to add a card ${perDay()} times a day`)
    }
    evenAt.delete(network)
    for (const oldest of evenAt.keys()) {
      if (evenAt.size < addressesMax) break
      evenAt.delete(oldest)
    }
    evenAt.set(network, verdict.evenAt)
  }
}
