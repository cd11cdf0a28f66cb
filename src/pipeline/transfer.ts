// Bytes of an upload or download as the pipeline measures them.
// Tested by test/keys/quotas-started.test.ts

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

/**
 * Yields the same chunks. Checks the quota when the first chunk has arrived, so that the source can be closed in order, and
 * before any header: throws `over_quota` then for a `length` (null = unknown) over the quota, later for a chunk.
 */
export async function* measuredStream(
  chunks: AsyncIterable<Uint8Array>,
  length: bigint | null,
  download: FilesDownload,
): AsyncGenerator<Uint8Array> {
  let admitted = false
  for await (const chunk of chunks) {
    if (!admitted) download.admitDownload(length)
    admitted = true
    download.download(chunk.length)
    yield chunk
  }
}
