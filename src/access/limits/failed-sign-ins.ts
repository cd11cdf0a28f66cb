// Limits of failed sign-ins per address and per email or passkey. Each attempt is charged in advance and refunded on
// success, so that parallel attempts cannot exceed the limit.
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { returnUnits, takeUnits } from './gcra.ts'

export type FailedSignIns = {
  /**
   * A try from `address` at `name`, an email or a passkey. Returns what to call when it was no failure. Throws
   * `over_rate` with the seconds to wait, the same for unknown names. `own`: a known device or session: it is
   * counted alone, so failures from elsewhere do not lock it out.
   */
  begin(address: string, name: string, own?: string | null): () => void
}

/** Burst: people mistype. */
const burst = 10
/** How much more an address may fail than a name: an office, or a proxy, is one address. */
const addressShare = 5
const keysMax = 20_000

/** Of more than `keysMax` addresses and names, the one tried longest ago starts afresh. */
export function createFailedSignIns(parts: {
  readonly clock: Clock
  readonly perHour: () => number
  readonly keysMax?: number
}): FailedSignIns {
  const { clock, perHour } = parts
  const most = parts.keysMax ?? keysMax
  // When it will be even again; in the order of the last try.
  const evenAt = new Map<string, number>()
  const rateOf = (share: number) => ({
    perSecond: (share * perHour()) / 3600,
    burst: share * burst,
  })

  return {
    begin(address, name, own = null) {
      const keys =
        own === null
          ? [
              { key: `address ${networkOf(address)}`, rate: rateOf(addressShare) },
              { key: `name ${name}`, rate: rateOf(1) },
            ]
          : [{ key: `own ${own}`, rate: rateOf(1) }]
      const now = clock.monotonic()
      const verdicts = keys.map(({ key, rate }) => takeUnits(evenAt.get(key) ?? 0, now, 1, rate))
      const waitMs = Math.max(...verdicts.map((verdict) => (verdict.ok ? 0 : verdict.waitMs)))
      if (waitMs > 0) {
        const seconds = Math.max(1, Math.ceil(waitMs / 1000))
        throw new Fault('over_rate', {
          detail: `too many tries to sign in failed: try again in ${seconds} s`,
          data: { backoff_seconds: seconds },
        })
      }
      for (const [at, { key }] of keys.entries()) {
        const verdict = verdicts[at]
        if (verdict?.ok === true) setNewest(evenAt, key, verdict.evenAt, most)
      }
      let given = false
      return () => {
        if (given) return
        given = true
        for (const { key, rate } of keys) {
          const even = evenAt.get(key)
          if (even !== undefined) evenAt.set(key, returnUnits(even, 1, rate))
        }
      }
    },
  }
}
