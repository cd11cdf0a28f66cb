// The start of a byte stream held back until enough of it is there: what fails before that fails before a status was
// sent, so that the reader is told why and not just cut off.

/**
 * The same bytes, of which nothing is given before `bytes` of them, or all, are here. What `chunks` throws is thrown;
 * leaving early ends it. Held chunks are copied: no more may be valid at a time than their source says.
 */
export async function* bufferStart(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = []
  let missing = bytes
  for await (const chunk of chunks) {
    if (missing > 0) {
      missing -= chunk.length
      if (missing > 0) {
        held.push(Uint8Array.from(chunk))
        continue
      }
      if (held.length > 0) yield Buffer.concat(held)
    }
    yield chunk
  }
  if (missing > 0 && held.length > 0) yield Buffer.concat(held)
}
