// Rates of keys that set none, so that one key of a server on a network cannot take all of it.
// Tested by src/key-rates.test.ts
import { plans } from './accounts/plans.ts'
import { isLoopback } from './base/loopback.ts'
import type { Config } from './config/settings.ts'
import type { KeyRates } from './limits/limiter.ts'

/** As `http.keyRates` says. */
export function keyRatesOf({
  http,
}: {
  readonly http: Pick<Config['http'], 'host' | 'keyRates'>
}): KeyRates {
  if (http.keyRates !== 'auto') return plans[http.keyRates]
  return isLoopback(http.host) ? plans.none : plans.team
}
