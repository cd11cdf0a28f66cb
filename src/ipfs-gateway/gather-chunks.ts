// A small stream as one buffer.
// Tested by src/ipfs-gateway/site-redirects.test.ts

/** Chunks are valid until the next one: they are copied. The caller bounds the stream. */
export async function gatherChunks(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(Uint8Array.from(chunk))
  return Buffer.concat(parts)
}
