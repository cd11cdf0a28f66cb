// Pushes bytes to a consumer chunk by chunk, without a promise or generator step per chunk: a body of 1 GiB has 16,384
// chunks of 64 KiB.
// Tested by src/kubo/multipart.test.ts

/**
 * Returns true for the next chunk, false to stop. If it returns a promise, no byte is read until that settles. The
 * consumer may retain the chunk.
 */
export type TakeChunk = (chunk: Uint8Array) => boolean | Promise<boolean>

export interface RequestBodyStream {
  /**
   * Hands over chunks as they arrive until `takeChunk` stops (true) or the body ends (false). May be called again after it
   * resolved, but not after it threw. Throws the errors of the body and of `takeChunk`.
   */
  feed(takeChunk: TakeChunk): Promise<boolean>
  /** `chunk` is not read again: its memory can be freed immediately. */
  release?(chunk: Uint8Array): void
}

/** Pushes `chunks`; does not read past the chunk at which `takeChunk` stopped. */
export function requestBodyStream(chunks: AsyncIterable<Uint8Array>): RequestBodyStream {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    async feed(takeChunk) {
      for (;;) {
        const step = await iterator.next()
        if (step.done === true) return false
        if (!(await takeChunk(step.value))) return true
      }
    },
  }
}
