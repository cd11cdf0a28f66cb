// A byte stream compressed as it passes, off the event loop, with back-pressure in both directions.
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

/** `level` 1 to 9; null = the library's own choice. What `chunks` throws is thrown; leaving early ends it. */
export async function* gzipped(
  chunks: AsyncIterable<Uint8Array>,
  level: number | null,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip(level === null ? {} : { level })
  // A failure reaches the reader through `gzip` itself, which the pipeline destroys with it.
  pipeline(Readable.from(chunks, { objectMode: false }), gzip, () => {})
  yield* gzip as AsyncIterable<Uint8Array>
}
