// Transfer limits of IPFS requests: bytes per month, per body and in storage, and concurrent uploads per key. Refuses a declared
// length that is too large before the body is read, otherwise as soon as a limit is exceeded.
// Tested by src/access/limits/transfer-meters.test.ts
import { Fault } from '../../base/fault.ts'
import type { Clock } from '../../base/clock.ts'
import { overCount } from './rate-limit.ts'
import type { SharedCounters } from './period-count.ts'
import {
  type TransferCount,
  type Transferred,
  createTransferCounts,
} from '../usage/transfer-counts.ts'

type AccountQuotas = {
  /** Body bytes of requests in a calendar month, UTC. */
  readonly filesUploadBytesPerMonth: number | null
  /** Body bytes of replies in a calendar month, UTC. */
  readonly filesDownloadBytesPerMonth: number | null
  /** Stored bytes of the account, each block once; for a key: the maximum when it adds more. */
  readonly filesStoredBytes: number | null
}

export type KeyQuotas = AccountQuotas & {
  /** Maximum size of one request body. */
  readonly filesBodyBytes: number | null
  /** Maximum concurrent uploads of more than 128 KiB; null = the server's default. */
  readonly filesUploads: number | null
}

/** The shape of a Caller. */
export type QuotaHolder = {
  readonly keyId: string
  readonly accountId: string
  readonly settings: KeyQuotas
  readonly quotas: AccountQuotas
}

function overTransfer(): Fault {
  return new Fault('over_quota', {
    detail: 'not allowed - transfer quota reached',
    data: { reason: 'transfer' },
  })
}

function overStorage(): Fault {
  return new Fault('over_quota', {
    detail: 'not allowed - storage quota reached',
    data: { reason: 'storage' },
  })
}

/** Meter of one request, from its admission to the end of its reply. */
export interface TransferMeter {
  /** Counts bytes read from the body. Throws `over_quota`, `too_large`, `over_rate` (too many concurrent uploads). */
  upload(bytes: number): void
  /** Checks a reply before it starts. `length`: null = unknown. Throws `over_quota` if it cannot complete within the quota. */
  admitDownload(length: bigint | null): void
  /** Counts bytes before they are written. Throws `over_quota`. */
  download(bytes: number): void
  /** Ends the request with its final byte counts, which remain counted. Call once. */
  end(bytes: { readonly in: number; readonly out: number }): void
}

/** Facts about a request that are known before its body. */
export type FileRequest = {
  /** Content-Length; null = absent. */
  readonly declaredBytes: number | null
  /** The request's own part of `TransferMeterDeps.reservedBytes`, for a multi-part upload. Null or absent: none. */
  readonly reservedBytes?: number | null
  /** The request stores its upload. */
  readonly stores: boolean
}

export type TransferMeters = {
  /**
   * Throws as `TransferMeter.upload`, for a declared length. Returns a promise that rejects with it if a sum must be read first.
   */
  open(holder: QuotaHolder, request: FileRequest): TransferMeter | Promise<TransferMeter>
}

export type TransferMeterDeps = {
  readonly clock: Clock
  /** Bytes that these keys transferred this month, in total. */
  readonly transferred: (keyIds: readonly string[]) => Transferred | Promise<Transferred>
  readonly keysOf: (accountId: string) => readonly string[] | Promise<readonly string[]>
  readonly storedBytes: (accountId: string) => number | Promise<number>
  /** Declared bytes of unfinished multi-part uploads. */
  readonly reservedBytes: (accountId: string) => number
  /** Concurrent uploads of a key without its own setting. */
  readonly uploadsPerKeyMax: () => number
  /** Joins the bytes of a month with those of other processes. Default: only this process. */
  readonly counters?: SharedCounters | null
}

/** A smaller upload takes no slot, because it completes immediately. */
const smallUploadBytes = 128 * 1024
/** Tolerance for the framing of an upload, which is not stored. The commit checks stored bytes exactly. */
const framingBytes = 64 * 1024

export function createTransferMeters(parts: TransferMeterDeps): TransferMeters {
  const counts = createTransferCounts(parts.clock, parts.counters)
  const uploads = new Map<string, number>()

  function transferredBy(accountId: string): Transferred | Promise<Transferred> {
    const keyIds = parts.keysOf(accountId)
    return keyIds instanceof Promise ? keyIds.then(parts.transferred) : parts.transferred(keyIds)
  }

  /** The counters that limit the request, each with its remaining bytes. */
  function limitsOf({ keyId, accountId, settings, quotas }: QuotaHolder) {
    const key = () => counts.get(keyName(keyId), () => parts.transferred([keyId]))
    const account = () => counts.get(accountName(accountId), () => transferredBy(accountId))
    const limit = (count: Limit['count'], max: number | null): readonly Limit[] =>
      max === null ? [] : [{ count, max }]
    return {
      up: [
        ...limit(key, settings.filesUploadBytesPerMonth),
        ...limit(account, quotas.filesUploadBytesPerMonth),
      ],
      down: [
        ...limit(key, settings.filesDownloadBytesPerMonth),
        ...limit(account, quotas.filesDownloadBytesPerMonth),
      ],
    }
  }

  /** Bytes of the account, or 0 if no limit needs them. */
  function storedNow({ accountId, settings, quotas }: QuotaHolder, stores: boolean) {
    const isLimited = settings.filesStoredBytes !== null || quotas.filesStoredBytes !== null
    return stores && isLimited ? parts.storedBytes(accountId) : 0
  }

  /** Body bytes that may still be stored. */
  function remainingStorage(
    { accountId, settings, quotas }: QuotaHolder,
    storedBytes: number,
    ownReserved: number | null,
  ): number {
    const ofKey = settings.filesStoredBytes
    const ofAccount = quotas.filesStoredBytes
    if (ofKey === null && ofAccount === null) return Number.POSITIVE_INFINITY
    const stored = storedBytes + parts.reservedBytes(accountId) - (ownReserved ?? 0)
    if (ofKey !== null && stored >= ofKey) throw overStorage()
    const most = Math.min(ofKey ?? Number.POSITIVE_INFINITY, ofAccount ?? Number.POSITIVE_INFINITY)
    // A multi-part upload is stored on disk with its framing: no tolerance.
    return Math.max(0, most - stored) + (ownReserved === null ? framingBytes : 0)
  }

  function openWith(
    holder: QuotaHolder,
    { declaredBytes, reservedBytes = null, stores }: FileRequest,
    { up, down }: ReturnType<typeof limitsOf>,
    storedBytes: number,
  ): TransferMeter {
    const { keyId, accountId, settings } = holder
    const bodyMax = settings.filesBodyBytes ?? Number.POSITIVE_INFINITY
    const storedMax = stores
      ? remainingStorage(holder, storedBytes, reservedBytes)
      : Number.POSITIVE_INFINITY
    const uploadsMax = settings.filesUploads ?? parts.uploadsPerKeyMax()
    const names = [keyName(keyId), accountName(accountId)]
    const moved = { up: 0, down: 0 }
    let isCounted = false
    let ended = false

    function checkUpload(bytes: number): void {
      if (bytes > bodyMax) throw new Fault('too_large')
      if (bytes > storedMax) throw overStorage()
      if (bytes > smallUploadBytes && !isCounted) countUpload()
    }

    function countUpload(): void {
      const uploadCount = uploads.get(keyId) ?? 0
      if (uploadCount >= uploadsMax)
        throw overCount(`this key is limited to ${uploadsMax} uploads at a time`)
      uploads.set(keyId, uploadCount + 1)
      isCounted = true
    }

    function add(direction: 'up' | 'down', bytes: number): void {
      moved[direction] += bytes
      for (const name of names) {
        const count = counts.find(name)
        count?.[direction].add(bytes)
      }
    }

    if (declaredBytes !== null) {
      check(up, 'up', declaredBytes)
      checkUpload(declaredBytes)
    }

    return {
      upload(bytes) {
        check(up, 'up', bytes)
        add('up', bytes)
        checkUpload(moved.up)
      },
      admitDownload(length) {
        check(down, 'down', length === null ? 1 : Number(length))
      },
      download(bytes) {
        check(down, 'down', bytes)
        add('down', bytes)
      },
      end(bytes) {
        if (ended) return
        ended = true
        // Bytes written in addition to the requested ones (lines, objects), and those of a refused chunk.
        add('up', bytes.in - moved.up)
        add('down', bytes.out - moved.down)
        if (!isCounted) return
        const uploadCount = (uploads.get(keyId) ?? 1) - 1
        if (uploadCount === 0) uploads.delete(keyId)
        else uploads.set(keyId, uploadCount)
      },
    }
  }

  return {
    open(holder, request) {
      const limits = limitsOf(holder)
      const reading = pendingOf(limits)
      const stored = storedNow(holder, request.stores)
      if (reading.length === 0 && !(stored instanceof Promise)) {
        return openWith(holder, request, limits, stored)
      }
      return Promise.all([stored, ...reading]).then(([bytes]) =>
        openWith(holder, request, limits, bytes),
      )
    },
  }
}

type Limit = { readonly count: () => TransferCount | Promise<TransferCount>; readonly max: number }

/** Sums that must be read before the request can be decided. */
function pendingOf({
  up,
  down,
}: {
  readonly up: readonly Limit[]
  readonly down: readonly Limit[]
}): readonly Promise<unknown>[] {
  const pending: Promise<unknown>[] = []
  for (const { count } of [...up, ...down]) {
    const found = count()
    const readings = found instanceof Promise ? [found] : [found.up.refresh(), found.down.refresh()]
    for (const reading of readings) if (reading !== undefined) pending.push(reading)
  }
  return pending
}

function check(limits: readonly Limit[], direction: 'up' | 'down', bytes: number): void {
  // A request that adds no bytes always passes: a key over its upload quota can still read.
  if (bytes === 0) return
  for (const { count, max } of limits) {
    const found = count()
    // The sum of a month that started during the request is being read: until then no request can be refused.
    if (found instanceof Promise) found.catch(() => {})
    else if (found[direction].total + bytes > max) throw overTransfer()
  }
}

const keyName = (keyId: string): string => `key ${keyId}`
const accountName = (accountId: string): string => `account ${accountId}`
