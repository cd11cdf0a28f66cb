// A stream of bytes that counts towards what its caller may take.
// Tested by test/quotas-started.test.ts
import type { FilesDownload } from './files-bytes.ts'

/**
 * The same chunks. Judged once the first is there, so that what stands behind it is given up in order, and still
 * before any header: throws `over_quota` then for a `length` (null = not known) that is too much, later for a chunk.
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
