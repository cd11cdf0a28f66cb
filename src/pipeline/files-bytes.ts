// Bytes of a file request as the gateway measures them, whatever carries them.
// Tested by test/quotas-started.test.ts

/** A request body as it is read. */
export type FilesUpload = {
  /** Content-Length, null = none was sent. */
  readonly declaredBytes: number | null
  /** Of those that `TransferMeterDeps.reservedBytes` counts, the bytes of this upload; absent: it has none. */
  readonly reservedBytes?: number
  /** Bytes read so far. */
  readonly bytes: number
  /** Is told of each chunk before anybody takes it; what it throws ends the reading. */
  onChunk: ((bytes: number) => void) | null
}

/** A stream as it is written. Both throw `over_quota`. */
export type FilesDownload = {
  /** Before headers. `length`: of what is to come, null = not known. */
  admitDownload(length: bigint | null): void
  /** Before each chunk. */
  download(bytes: number): void
}
