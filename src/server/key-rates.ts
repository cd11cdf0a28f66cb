// Rates of keys without own rates, so that one key cannot use all capacity of a server on a network.
// Tested by src/server/key-rates.test.ts
import { plans } from '../access/accounts/plans.ts'
import { isLoopback } from '../base/addresses.ts'
import type { Config } from '../config/settings.ts'
import type { KeyRates } from '../access/limits/limiter.ts'

/**
 * Applies `http.keyRates`. A server on loopback counts as reachable from outside if its settings name a proxy, or a host
 * name other than loopback's.
 */
export function keyRatesOf({
  http,
  admin,
}: {
  readonly http: Pick<Config['http'], 'host' | 'keyRates' | 'trustedProxies'>
  readonly admin: Pick<Config['admin'], 'hosts'>
}): KeyRates {
  if (http.keyRates !== 'auto') return plans[http.keyRates]
  const names = admin.hosts?.split(',').map((name) => name.trim()) ?? []
  const isPrivate = http.trustedProxies === null && [http.host, ...names].every(isLoopback)
  return isPrivate ? plans.none : plans.team
}
