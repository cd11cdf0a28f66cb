// Requests of accounts to pin content: durable once `add` resolves, processed by the queue (pin-queue.ts). A pinned request
// represents an ordinary pin: removing one of them removes the other.
// Tested by src/ipfs/pins/pin-requests.test.ts
import { randomUUID } from 'node:crypto'
import { CID } from 'multiformats/cid'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { equalBytes } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import {
  countOpenPinRequests,
  countPinRequests,
  deletePinRequest,
  findPinRequest,
  insertPinRequest,
  listPinRequests,
  type NewPinRequest,
  type PinRequestFilter,
  type PinRequestLimits,
  type PinRequestRow,
  type PinRequestStatus,
  releasePinOfRequest,
} from '../../tables/pinning/pin-requests.ts'

/** `meta`, `origins` (multiaddrs): null if the client did not send them. */
export type RequestedPin = {
  readonly cid: CID
  readonly name: string
  readonly meta: Readonly<Record<string, string>> | null
  readonly origins: readonly string[] | null
}

/** Times: milliseconds since 1970 UTC. */
export type PinRequest = RequestedPin & {
  readonly id: string
  readonly status: PinRequestStatus
  readonly created: number
  /** Time of the next try, for a queued request. */
  readonly due: number
  readonly tries: number
  /** Error of the last failed try. */
  readonly error: string | null
  /** Blocks and bytes that the running try has read, or those of the completed pin. */
  readonly blocks: number
  readonly bytes: number
}

export interface PinRequests {
  /** `keyId`: the API key that adds the pin. Throws `over_quota`, and `overloaded` if too many requests are waiting. */
  add(accountId: string, pin: RequestedPin, keyId?: string): Promise<PinRequest>
  /**
   * Adds a request in place of `id`. The pin of the old request remains until the new one has ended. Throws as `add`, and `absent`.
   */
  replace(accountId: string, id: string, pin: RequestedPin, keyId?: string): Promise<PinRequest>
  /** Null: the account has no such request. */
  find(accountId: string, id: string): Promise<PinRequest | null>
  /** The newest first, at most `limit`; `count`: all matching requests, at most a million. */
  list(
    accountId: string,
    filter: PinRequestFilter,
    limit: number,
  ): Promise<{ readonly count: number; readonly requests: readonly PinRequest[] }>
  /** Removes the request and its pin. Throws `absent`. */
  remove(accountId: string, id: string): Promise<void>
}

const defaultPinRequestLimits: PinRequestLimits = {
  sameMax: 100,
  openMax: 10_000,
  openInAllMax: 100_000,
}

const countMax = 1_000_000
/** Number of tries of a change if the rows change concurrently. */
const changesMax = 10

/** `queued`: called after a request was added. `removed`: after the request `id` was removed. */
export function createPinRequests(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly queued: () => void
  readonly removed: (id: string) => void
  readonly limits?: PinRequestLimits
}): PinRequests {
  const { rows, clock, limits = defaultPinRequestLimits } = parts

  /** Throws for the limit that a request for `cid` exceeds, if any. `old`: the request that it replaces. */
  async function checkLimits(accountId: string, cid: CID, old?: PinRequestRow): Promise<void> {
    const { sameMax, openMax, openInAllMax } = limits
    const open = await rows.first(countOpenPinRequests(accountId, cid.bytes, limits))
    if (open === null) return
    const isSame = old !== undefined && equalBytes(old.cid, cid.bytes)
    if (open.same >= sameMax && !isSame) {
      const detail = `this account has ${sameMax} pin requests for this CID, which is the limit`
      throw new Fault('over_quota', { detail, data: { reason: 'pin_requests' } })
    }
    if (old?.status === 'queued' || old?.status === 'pinning') return
    if (open.own >= openMax) {
      const detail = `${openMax} pin requests of this account are waiting, which is the limit`
      throw new Fault('over_quota', { detail, data: { reason: 'pin_requests' } })
    }
    if (open.every >= openInAllMax) throw new Fault('overloaded')
  }

  async function getRow(accountId: string, id: string): Promise<PinRequestRow> {
    const row = await rows.first(findPinRequest(accountId, id))
    if (row === null) throw new Fault('absent', { detail: 'pin request not found' })
    return row
  }

  /** Repeats `change` while it fails because the rows changed concurrently. */
  async function repeated(change: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await change()
      } catch (thrown) {
        if (!(thrown instanceof NothingChanged) || tries === changesMax) throw thrown
      }
    }
  }

  /** Inserts a request in one write with the statements `before`. The write checks the limits; `checkLimits` says which one failed. */
  async function insert(
    row: NewPinRequest,
    cid: CID,
    { before, old }: { readonly before: readonly Statement[]; readonly old?: PinRequestRow },
  ): Promise<void> {
    try {
      await rows.write([...before, insertPinRequest(row, limits)])
    } catch (thrown) {
      const isRefused = thrown instanceof NothingChanged && thrown.index === before.length
      if (isRefused) await checkLimits(row.account_id, cid, old)
      throw thrown
    }
  }

  function newRow(accountId: string, pin: RequestedPin, keyId: string | undefined): NewPinRequest {
    const { cid, name, meta, origins } = pin
    const id = randomUUID()
    return {
      id,
      account_id: accountId,
      cid: cid.bytes,
      name,
      meta: meta === null ? null : JSON.stringify(meta),
      origins: origins === null ? null : JSON.stringify(origins),
      replaces: null,
      key_id: keyId ?? null,
      now: clock.now(),
    }
  }

  async function added(accountId: string, id: string): Promise<PinRequest> {
    parts.queued()
    return toRequest(await getRow(accountId, id))
  }

  return {
    async add(accountId, pin, keyId) {
      const row = newRow(accountId, pin, keyId)
      await repeated(() => insert(row, pin.cid, { before: [] }))
      return await added(accountId, row.id)
    },

    async replace(accountId, id, pin, keyId) {
      const row = newRow(accountId, pin, keyId)
      await repeated(async () => {
        const old = await getRow(accountId, id)
        const terms = { before: [deletePinRequest(old)], old }
        await insert({ ...row, replaces: pinOf(old) }, pin.cid, terms)
      })
      parts.removed(id)
      return await added(accountId, row.id)
    },

    async find(accountId, id) {
      const row = await rows.first(findPinRequest(accountId, id))
      return row === null ? null : toRequest(row)
    },

    async list(accountId, filter, limit) {
      const [[counted], found] = await rows.snapshot([
        countPinRequests(accountId, filter, countMax),
        listPinRequests(accountId, filter, limit),
      ])
      return { count: counted?.count ?? 0, requests: found.map(toRequest) }
    },

    async remove(accountId, id) {
      await repeated(async () => {
        const row = await getRow(accountId, id)
        const cid = pinOf(row)
        const release = cid === null ? [] : [releasePinOfRequest(accountId, cid)]
        await rows.write([deletePinRequest(row), ...release])
      })
      parts.removed(id)
    },
  }
}

/** CID of the pin that is removed together with the request. */
function pinOf({ status, cid, replaces }: PinRequestRow): Uint8Array | null {
  return status === 'pinned' ? cid : replaces
}

function toRequest(row: PinRequestRow): PinRequest {
  const { id, cid, name, meta, origins, status, created, due, tries, error, blocks, bytes } = row
  return {
    id,
    cid: CID.decode(cid),
    name,
    meta: meta === null ? null : (JSON.parse(meta) as Readonly<Record<string, string>>),
    origins: origins === null ? null : (JSON.parse(origins) as readonly string[]),
    status,
    created,
    due,
    tries,
    error,
    blocks,
    bytes,
  }
}
