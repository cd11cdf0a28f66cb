// Transfer limits of file requests: bytes per month, per body and in storage, and concurrent uploads per key. Refuses a
// declared length that is too large before the body is read, otherwise as soon as a limit is exceeded.
import { Fault } from '../../base/fault.ts'
import type { Clock } from '../../base/clock.ts'
import { overCount } from './rate-limit.ts'
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
  /** Throws as `TransferMeter.upload`, for a declared length. */
  open(holder: QuotaHolder, request: FileRequest): TransferMeter
}

export type TransferMeterDeps = {
  readonly clock: Clock
  /** Bytes that these keys transferred this month, in total. */
  readonly transferred: (keyIds: readonly string[]) => Transferred
  readonly keysOf: (accountId: string) => readonly string[]
  readonly storedBytes: (accountId: string) => number
  /** Declared bytes of unfinished multi-part uploads. */
  readonly reservedBytes: (accountId: string) => number
  /** Concurrent uploads of a key without its own setting. */
  readonly uploadsPerKeyMax: () => number
}

/** A smaller upload takes no slot: it completes immediately. */
const smallUploadBytes = 128 * 1024
/** Tolerance for the framing of an upload, which is not stored. Stored bytes are checked exactly at the commit. */
const framingBytes = 64 * 1024

export function createTransferMeters(parts: TransferMeterDeps): TransferMeters {
  const counts = createTransferCounts(parts.clock)
  const uploads = new Map<string, number>()

  /** The counters that limit the request, each with its remaining bytes. */
  function limitsOf({ keyId, accountId, settings, quotas }: QuotaHolder) {
    const key = () => counts.get(keyName(keyId), () => parts.transferred([keyId]))
    const account = () =>
      counts.get(accountName(accountId), () => parts.transferred(parts.keysOf(accountId)))
    const limit = (count: () => TransferCount, max: number | null): readonly Limit[] =>
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

  /** Body bytes that may still become content. */
  function storedLeft({ accountId, settings, quotas }: QuotaHolder, own: number | null): number {
    const ofKey = settings.filesStoredBytes
    const ofAccount = quotas.filesStoredBytes
    if (ofKey === null && ofAccount === null) return Number.POSITIVE_INFINITY
    const stored = parts.storedBytes(accountId) + parts.reservedBytes(accountId) - (own ?? 0)
    if (ofKey !== null && stored >= ofKey) throw overStorage()
    const most = Math.min(ofKey ?? Number.POSITIVE_INFINITY, ofAccount ?? Number.POSITIVE_INFINITY)
    // Bytes of a multi-part upload are stored on disk including framing: no tolerance.
    return Math.max(0, most - stored) + (own === null ? framingBytes : 0)
  }

  return {
    open(holder, { declaredBytes, reservedBytes = null, stores }) {
      const { keyId, accountId, settings } = holder
      const { up, down } = limitsOf(holder)
      const bodyMax = settings.filesBodyBytes ?? Number.POSITIVE_INFINITY
      const storedMax = stores ? storedLeft(holder, reservedBytes) : Number.POSITIVE_INFINITY
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
          if (count !== null) count[way] += bytes
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
    },
  }
}

type Limit = { readonly count: () => TransferCount; readonly max: number }

function check(limits: readonly Limit[], way: 'up' | 'down', bytes: number): void {
  // A request that adds no bytes always passes: a key over its upload quota can still read.
  if (bytes === 0) return
  for (const { count, max } of limits) if (count()[way] + bytes > max) throw overTransfer()
}

const keyName = (keyId: string): string => `key ${keyId}`
const accountName = (accountId: string): string => `account ${accountId}`
