// What a chunker tells of a stream.
// Tested by src/ipfs/import/chunk.test.ts

/**
 * Where a chunk ends, found from its content. A rest at the end of the stream is a chunk whatever its length.
 * One BoundaryFinder looks at one stream.
 */
export interface BoundaryFinder {
  /**
   * Looks at `bytes`, which follow those looked at before. The count of them that complete a chunk, after which
   * the next chunk begins; null when it goes on behind them.
   */
  find(bytes: Uint8Array): number | null
}
