// Bytes that are pushed to a consumer, chunk by chunk: no promise and no generator for each chunk, which
// is what costs when a gigabyte comes in pieces of 64 KiB.
// Tested by src/kubo/multipart.test.ts

/**
 * What to do after a chunk: true = the next one, false = enough. A promise is waited for first, and nothing is
 * read meanwhile. The consumer may hold a chunk.
 */
export type Take = (chunk: Uint8Array) => boolean | Promise<boolean>

export interface RequestBodyStream {
  /**
   * Hands over chunks as they come until `take` has enough (true) or the body ends (false). May be called again
   * once it has resolved; not any more once it threw, what the body or `take` throws.
   */
  feed(take: Take): Promise<boolean>
  /** `chunk` will not be read again: its memory may go at once, long before it is collected. */
  release?(chunk: Uint8Array): void
}

/** `chunks`, pushed. Leaves them where `take` had enough. */
export function requestBodyStream(chunks: AsyncIterable<Uint8Array>): RequestBodyStream {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    async feed(take) {
      for (;;) {
        const step = await iterator.next()
        if (step.done === true) return false
        if (!(await take(step.value))) return true
      }
    },
  }
}
