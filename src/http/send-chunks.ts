// Bytes as the body of a response, with back-pressure. The head waits for the first chunk, so that most failures are
// real answers; a later one is the caller's to turn into a cut connection.
import type { ServerResponse } from 'node:http'
import { Fault } from '../base/fault.ts'
import { openChunkWriter, type WriteTerms } from './write-chunk.ts'

export type SendTerms = WriteTerms & {
  /** Bytes that must come; null: not known. */
  readonly length: bigint | null
}

/** `begin` writes the head, `beforeEnd` what is to be added behind the last chunk. */
export type ChunkFrame = {
  readonly begin: () => void
  readonly beforeEnd?: () => void
}

/**
 * Writes the head once the first chunk is there, then all chunks, and ends. Counts in `sent`. Throws what `chunks`
 * throws, `hung_up` and `deadline` by the reader, Error when another number of bytes came than promised.
 */
export async function sendChunks(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { begin, beforeEnd = () => {} }: ChunkFrame,
  terms: SendTerms,
  sent: { bytes: number },
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const writer = openChunkWriter(response, terms)
  try {
    let step = await iterator.next()
    if (response.destroyed) throw new Fault('hung_up')
    begin()
    for (; step.done !== true; step = await iterator.next()) {
      if (response.destroyed) throw new Fault('hung_up')
      if (terms.length !== null && BigInt(sent.bytes + step.value.length) > terms.length) {
        throw new Error(`more than ${terms.length} bytes came`)
      }
      sent.bytes += step.value.length
      const waiting = writer.write(step.value)
      if (waiting !== null) await waiting
    }
    if (terms.length !== null && BigInt(sent.bytes) !== terms.length) {
      throw new Error(`${sent.bytes} bytes came, not ${terms.length}`)
    }
    beforeEnd()
    response.end()
  } finally {
    writer.close()
    await iterator.return?.()
  }
}
