// Rates of keys that set none, so that one key of a server on a network cannot take all of it.
// Tested by src/server/key-rates.test.ts
import { plans } from '../access/accounts/plans.ts'
import { isLoopback } from '../base/loopback.ts'
import type { Config } from '../config/settings.ts'
import type { KeyRates } from '../access/limits/limiter.ts'

/**
 * As `http.keyRates` says. A server on loopback is taken for one that others reach if its settings name a proxy, or a host
 * name other than that of loopback.
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
