// Transfer and storage quotas of a key and its account for the IPFS API. Null = no limit, 0 = no bytes.
// Tested by src/access/limits/transfer-meters.test.ts
import { Fault } from '../../base/fault.ts'

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

export function overTransfer(): Fault {
  return new Fault('over_quota', {
    detail: 'not allowed - transfer quota reached',
    data: { reason: 'transfer' },
  })
}

export function overStorage(): Fault {
  return new Fault('over_quota', {
    detail: 'not allowed - storage quota reached',
    data: { reason: 'storage' },
  })
}
