// Buffers the start of a byte stream: an error within it occurs before the status is sent, so the client gets an error response
// instead of a closed connection.

/**
 * Returns the same bytes, the first once `bytes` of them, or all, have arrived. Errors of `chunks` are
 * rethrown; returning early ends it. Buffered chunks are copied, because the source may reuse them.
 */
export async function* bufferStart(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const buffered: Uint8Array[] = []
  let missing = bytes
  for await (const chunk of chunks) {
    if (missing > 0) {
      missing -= chunk.length
      if (missing > 0) {
        buffered.push(Uint8Array.from(chunk))
        continue
      }
      if (buffered.length > 0) yield Buffer.concat(buffered)
    }
    yield chunk
  }
  if (missing > 0 && buffered.length > 0) yield Buffer.concat(buffered)
}
