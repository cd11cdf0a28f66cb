// Collects a small stream into one buffer.
// Tested by src/ipfs-gateway/site-redirects.test.ts

/** Copies chunks, because each is valid only until the next one. The caller limits the stream. */
export async function gatherChunks(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(Uint8Array.from(chunk))
  return Buffer.concat(parts)
}
