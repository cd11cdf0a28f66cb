// IDs of new objects, reserved in groups ahead of their use, under the lease of this machine. A machine that was paused beyond the
// end of its lease continues with a new lease, because objects of the old one may be marked dead.
// Tested by test/files/object-blocks.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import {
  renewNodeLease,
  reserveSegments,
  takeNodeLease,
} from '../../tables/objects/object-segments.ts'

export type SegmentId = { readonly id: number; readonly token: number }

export type SegmentIds = {
  next(): Promise<SegmentId>
  /** Token of the current lease; IDs of batches begin with it. */
  readonly token: number
  /** Renews the lease, or acquires a new one. */
  renew(): Promise<void>
  /** Call if a segment of this lease was dead, as others may be too. Acquires a new lease, unless another caller has done so. */
  replace(token: number): Promise<void>
  close(): void
}

/** A machine without a renewal for this long plus `orphanGraceMs` loses its unfinished objects. */
const leaseMs = 60_000
const renewMs = 20_000
export const orphanGraceMs = 3_600_000
/** An unfinished object is marked dead after this time, whatever its lease. */
export const writingMs = 24 * 3_600_000
/** A reserved ID is not used after this time: its object must be complete long before `writingMs`. */
const reservedMs = 6 * 3_600_000
const reservedMax = 64
const refillBelow = 16

/** Acquires a lease. Throws the faults of `rows`. */
export async function openSegmentIds(parts: {
  readonly rows: Rows
  readonly node: string
  /** Digests of the current settings of this machine; null: none. Stored with the lease. */
  readonly settings: () => string | null
  readonly clock: Clock
  readonly log: Log
}): Promise<SegmentIds> {
  const { rows, node, settings, clock, log } = parts
  let token = await acquireLease()
  let reserved: SegmentId[] = []
  let reservedAt = 0
  let refilling: Promise<void> | null = null

  async function acquireLease(): Promise<number> {
    const lease = await rows.first(takeNodeLease(node, settings(), leaseMs))
    if (lease === null) throw new Fault('overloaded')
    return lease.token
  }

  async function refill(): Promise<void> {
    const requestedWith = token
    const found = await rows.find(reserveSegments(requestedWith, reservedMax))
    if (requestedWith !== token) return
    reserved.push(...found.map(({ id }) => ({ id, token: requestedWith })))
    reservedAt = clock.monotonic()
  }

  /** Runs one refill at a time. */
  function refillOnce(): Promise<void> {
    refilling ??= refill().finally(() => (refilling = null))
    return refilling
  }

  async function renew(): Promise<void> {
    try {
      const renewed = renewNodeLease(token, settings(), leaseMs, orphanGraceMs)
      await rows.write([renewed], { lock: 'none' })
    } catch (error) {
      if (!(error instanceof NothingChanged)) throw error
      await replace(token)
    }
  }

  async function replace(old: number): Promise<void> {
    if (old !== token) return
    log('warn', 'node_lease_lost', { node, token })
    const next = await acquireLease()
    reserved = []
    token = next
  }

  const stop = clock.every(renewMs, () => {
    renew().catch((error: unknown) => log('warn', 'node_lease_not_renewed', { error }))
  })

  return {
    get token() {
      return token
    },
    renew,
    replace,
    async next() {
      if (clock.monotonic() - reservedAt > reservedMs) reserved = []
      for (let tries = 0; tries < 3; tries += 1) {
        const segment = reserved.shift()
        if (reserved.length < refillBelow) {
          const refilled = refillOnce()
          if (segment === undefined) await refilled
          else refilled.catch(() => undefined)
        }
        if (segment !== undefined) return segment
      }
      throw new Fault('overloaded')
    },
    close: stop,
  }
}
