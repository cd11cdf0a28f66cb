// Limits failed attempts: wrong keys and secrets per address, beyond which they are refused without a database read; and failed
// sign-ins per address and per email or passkey, each charged in advance.
// Tested by src/access/limits/failed-authentications.test.ts
import { createHash } from 'node:crypto'
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import {
  type Rate,
  type RateRefusal,
  msPerUnitOf,
  overRate,
  returnUnits,
  takeUnits,
} from './rate-limit.ts'
import { type RateShares, type ShareSpender, createShareSpender } from './rate-shares.ts'

export type FailedAuthentications = {
  /** Returns true if an unknown key of this address may still cause a database read. Does not count. */
  isUnder(address: string): boolean
  /**
   * Counts one refused credential. Throws `over_rate` if the address has sent too many. Returns a promise that rejects with it if
   * other processes count too.
   */
  count(address: string): void | Promise<void>
}

const addressesMax = 10_000
const refusals: ReadonlySet<FaultCode> = new Set(['bad_key', 'bad_secret', 'bad_token'])

/**
 * Beyond `addressesMax` addresses, the least recent one is forgotten. `shares`: joins the counts of several processes. Each process
 * refuses by the failures that it counted itself, and by the others' failures that it learned of at its last one.
 */
export function createFailedAuthentications(parts: {
  readonly clock: Clock
  readonly perMinute: () => number
  readonly addressesMax?: number
  readonly shares?: RateShares | null
}): FailedAuthentications {
  const { clock, perMinute, shares = null } = parts
  const bucketsMax = parts.addressesMax ?? addressesMax
  const buckets = shares === null ? null : createShareSpender({ shares, clock, bucketsMax })
  const rateNow = () => ({ perSecond: perMinute() / 60, burst: perMinute() })
  // Network -> time at which its bucket is full again; ordered by last failure.
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
      setNewest(evenAt, network, even, bucketsMax)
      if (!verdict.ok) throw tooManyFailures(verdict)
      const shared = buckets?.spend(`failed ${network}`, rateNow(), 1) ?? null
      if (shared instanceof Promise) return shared.then((refusal) => addShared(network, refusal))
      return addShared(network, shared)
    },
  }

  /** Adds failures that other processes counted. */
  function addShared(network: string, refusal: RateRefusal | null): void {
    if (refusal === null) return
    const rate = rateNow()
    const refillMs = refusal.waitMs + (rate.burst - 1) * msPerUnitOf(rate)
    setNewest(evenAt, network, clock.monotonic() + refillMs, bucketsMax)
    throw tooManyFailures(refusal)
  }

  function tooManyFailures(refusal: RateRefusal): Fault {
    const details = `this address may bring ${perMinute()} wrong keys or secrets a minute`
    return overRate(rateNow(), refusal, details)
  }
}

type Authenticate<Result> = (
  key: string,
  secret: string | null,
  address: string,
  jwt?: string,
) => Result

/**
 * Wraps `authenticate` and counts its refusals by address, including rejected promises. Throws the same errors, or `over_rate`
 * instead.
 */
export function guardAuthentication<Result>(
  authenticate: Authenticate<Result>,
  failed: FailedAuthentications,
): Authenticate<Result> {
  return (key, secret, address, jwt) => {
    function refuse(thrown: unknown): never | Promise<never> {
      const refused = thrown instanceof Fault && refusals.has(thrown.code)
      const counted = refused ? failed.count(address) : undefined
      if (counted === undefined) throw thrown
      return counted.then(() => {
        throw thrown
      })
    }
    try {
      const result = authenticate(key, secret, address, jwt)
      return result instanceof Promise ? (result.catch(refuse) as Result) : result
    } catch (thrown) {
      return refuse(thrown) as Result
    }
  }
}

export type FailedSignIns = {
  /**
   * Starts an attempt from `address` at `name`, an email or a passkey. Returns a function to call if it was not a failure. Throws
   * `over_rate` with the seconds to wait, also for unknown names. `trusted`: a known device or session, which is counted separately, so
   * failures from elsewhere do not lock it out. Returns a promise that rejects with `over_rate` if other processes count too.
   */
  begin(address: string, name: string, trusted?: string | null): (() => void) | Promise<() => void>
}

/** Burst that permits typing errors. */
const burst = 10
/** Factor of the limit per address over that per name: an office or a proxy is one address. */
const addressShare = 5
const keysMax = 20_000

type Counted = { readonly key: string; readonly rate: Rate }

/** Beyond `keysMax` addresses and names, the least recent one is forgotten. `shares`: joins the counts of several processes. */
export function createFailedSignIns(parts: {
  readonly clock: Clock
  readonly perHour: () => number
  readonly keysMax?: number
  readonly shares?: RateShares | null
}): FailedSignIns {
  const { clock, perHour, shares = null } = parts
  const bucketsMax = parts.keysMax ?? keysMax
  const buckets = shares === null ? null : createShareSpender({ shares, clock, bucketsMax })
  // Time at which the bucket is full again; ordered by last attempt.
  const evenAt = new Map<string, number>()
  const rateOf = (share: number) => ({
    perSecond: (share * perHour()) / 3600,
    burst: share * burst,
  })

  function takeAll(keys: readonly Counted[]): void {
    const now = clock.monotonic()
    const verdicts = keys.map(({ key, rate }) => takeUnits(evenAt.get(key) ?? 0, now, 1, rate))
    refuseOver(verdicts.map((verdict) => (verdict.ok ? null : verdict)))
    for (const [at, { key }] of keys.entries()) {
      const verdict = verdicts[at]
      if (verdict?.ok === true) setNewest(evenAt, key, verdict.evenAt, bucketsMax)
    }
  }

  function refundAll(keys: readonly Counted[]): void {
    for (const { key, rate } of keys) {
      const even = evenAt.get(key)
      if (even !== undefined) evenAt.set(key, returnUnits(even, 1, rate))
    }
  }

  /** Takes from all buckets, or from none. */
  async function takeShared(keys: readonly Counted[], spender: ShareSpender): Promise<void> {
    const outcomes = await Promise.all(
      keys.map(async ({ key, rate }) => spender.spend(bucketOf(key), rate, 1)),
    )
    try {
      refuseOver(outcomes)
    } catch (refusal) {
      refundAll(keys)
      for (const [at, { key }] of keys.entries()) {
        if (outcomes[at] === null) spender.give(bucketOf(key), 1)
      }
      throw refusal
    }
  }

  return {
    begin(address, name, trusted = null) {
      const keys =
        trusted === null
          ? [
              { key: `address ${networkOf(address)}`, rate: rateOf(addressShare) },
              { key: `name ${name}`, rate: rateOf(1) },
            ]
          : [{ key: `own ${trusted}`, rate: rateOf(1) }]
      takeAll(keys)
      let refunded = false
      const refund = (): void => {
        if (refunded) return
        refunded = true
        refundAll(keys)
        for (const { key } of keys) buckets?.give(bucketOf(key), 1)
      }
      return buckets === null ? refund : takeShared(keys, buckets).then(() => refund)
    },
  }
}

/** A hash of email or address, because the name of a bucket may be stored on another machine. */
function bucketOf(key: string): string {
  return `signIn ${createHash('sha256').update(key).digest('base64url')}`
}

function refuseOver(verdicts: readonly (RateRefusal | null)[]): void {
  const waitMs = Math.max(...verdicts.map((verdict) => verdict?.waitMs ?? 0))
  if (waitMs <= 0) return
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  throw new Fault('over_rate', {
    detail: `too many tries to sign in failed: try again in ${seconds} s`,
    data: { backoff_seconds: seconds },
  })
}
