// A byte stream that counts against its caller's quota.
// Tested by test/quotas-started.test.ts
import type { FilesDownload } from './files-bytes.ts'

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
