// Transfer limits of file requests: bytes per month, per body and in storage, and concurrent uploads per key. Refuses a
// declared length that is too large before the body is read, otherwise as soon as a limit is exceeded.
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
  /** Body bytes of answers in a calendar month, UTC. */
  readonly filesDownloadBytesPerMonth: number | null
  /** Bytes that the account keeps, each block once; of a key: how many there may be when it adds more. */
  readonly filesStoredBytes: number | null
}

export type KeyQuotas = AccountQuotas & {
  /** One request body. */
  readonly filesBodyBytes: number | null
  /** Uploads at a time, those of more than 128 KiB; null = as the server is set. */
  readonly filesUploads: number | null
}

/** A Caller has this shape. */
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

/** One request, from its admission to the end of its answer. */
export interface TransferMeter {
  /** Bytes of the body were read. Throws `over_quota`, `too_large`, `over_rate` (too many uploads at a time). */
  upload(bytes: number): void
  /** A stream is about to begin. `length`: null = not known. Throws `over_quota` when it can not end well. */
  admitDownload(length: bigint | null): void
  /** Bytes of a stream are about to be written. Throws `over_quota`. */
  download(bytes: number): void
  /** Ends the request with its final byte counts, which stay counted. Call once. */
  end(bytes: { readonly in: number; readonly out: number }): void
}

/** Facts about a request that are known before its body. */
export type FileRequest = {
  /** Content-Length; null = none was sent. */
  readonly declaredBytes: number | null
  /** Bytes of `TransferMeterDeps.reservedBytes` that are its own: an upload in parts. Null or absent: it has none. */
  readonly reservedBytes?: number | null
  /** The request stores its upload. */
  readonly stores: boolean
}

export type TransferMeters = {
  /**
   * Throws as `TransferMeter.upload`, for a declared length. A promise, that rejects with it, if a sum must be read first.
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
  /** Joins the bytes of a month with those of other processes. Default: of this process alone. */
  readonly counters?: SharedCounters | null
}

/** A smaller upload takes no slot: it completes immediately. */
const smallUploadBytes = 128 * 1024
/** Tolerance for the framing of an upload, which is not stored. Stored bytes are checked exactly at the commit. */
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

  /** Body bytes that may still become content. */
  function storedLeft(
    { accountId, settings, quotas }: QuotaHolder,
    storedBytes: number,
    own: number | null,
  ): number {
    const ofKey = settings.filesStoredBytes
    const ofAccount = quotas.filesStoredBytes
    if (ofKey === null && ofAccount === null) return Number.POSITIVE_INFINITY
    const stored = storedBytes + parts.reservedBytes(accountId) - (own ?? 0)
    if (ofKey !== null && stored >= ofKey) throw overStorage()
    const most = Math.min(ofKey ?? Number.POSITIVE_INFINITY, ofAccount ?? Number.POSITIVE_INFINITY)
    // Bytes of a multi-part upload are stored on disk including framing: no tolerance.
    return Math.max(0, most - stored) + (own === null ? framingBytes : 0)
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
      ? storedLeft(holder, storedBytes, reservedBytes)
      : Number.POSITIVE_INFINITY
    const uploadsMax = settings.filesUploads ?? parts.uploadsPerKeyMax()
    const names = [keyName(keyId), accountName(accountId)]
    const moved = { up: 0, down: 0 }
    let seated = false
    let ended = false

    function checkUpload(bytes: number): void {
      if (bytes > bodyMax) throw new Fault('too_large')
      if (bytes > storedMax) throw overStorage()
      if (bytes > smallUploadBytes && !seated) takeSeat()
    }

    function takeSeat(): void {
      const taken = uploads.get(keyId) ?? 0
      if (taken >= uploadsMax)
        throw overCount(`this key is limited to ${uploadsMax} uploads at a time`)
      uploads.set(keyId, taken + 1)
      seated = true
    }

    function add(way: 'up' | 'down', bytes: number): void {
      moved[way] += bytes
      for (const name of names) {
        const count = counts.find(name)
        count?.[way].add(bytes)
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
        if (!seated) return
        const taken = (uploads.get(keyId) ?? 1) - 1
        if (taken === 0) uploads.delete(keyId)
        else uploads.set(keyId, taken)
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

function check(limits: readonly Limit[], way: 'up' | 'down', bytes: number): void {
  // A request that adds no bytes always passes: a key over its upload quota can still read.
  if (bytes === 0) return
  for (const { count, max } of limits) {
    const found = count()
    // A month that began during the request is being read: nothing can be refused until then.
    if (found instanceof Promise) found.catch(() => {})
    else if (found[way].total + bytes > max) throw overTransfer()
  }
}

const keyName = (keyId: string): string => `key ${keyId}`
const accountName = (accountId: string): string => `account ${accountId}`
