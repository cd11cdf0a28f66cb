// Byte counts of an IPFS request, independent of the transport.
// Tested by test/quotas-started.test.ts

/** A request body while it is read. */
export type FilesUpload = {
  /** Content-Length; null if absent. */
  readonly declaredBytes: number | null
  /** Bytes of this upload that `TransferMeterDeps.reservedBytes` includes; absent: none. */
  readonly reservedBytes?: number
  /** Bytes read so far. */
  readonly bytes: number
  /** Called with each chunk before it is delivered. If it throws, reading ends. */
  onChunk: ((bytes: number) => void) | null
}

/** A response while it is written. Both methods throw `over_quota`. */
export type FilesDownload = {
  /** Before headers. `length`: bytes to come; null if unknown. */
  admitDownload(length: bigint | null): void
  /** Before each chunk. */
  download(bytes: number): void
}
