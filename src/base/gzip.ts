// Compresses a byte stream off the event loop, with back-pressure in both directions.
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

/**
 * `level` 1 to 9; null: the library's default. Errors of `chunks` are rethrown; returning early ends it. Chunks are
 * copied, because the source may reuse them.
 */
export async function* gzipped(
  chunks: AsyncIterable<Uint8Array>,
  level: number | null,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip(level === null ? {} : { level })
  // The reader gets a failure from `gzip` itself, which the pipeline destroys with that error.
  pipeline(Readable.from(copied(chunks), { objectMode: false }), gzip, () => {})
  yield* gzip as AsyncIterable<Uint8Array>
}

async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
