// Limits of a segment store: file sizes, queues, caches.
// Tested by src/content/segments/segment-store.test.ts

export type SegmentLimits = {
  /** Size at which a segment is sealed. */
  readonly sealBytes: number
  /** Number of 4 MiB slots for all uploads together. */
  readonly slots: number
  /** Number of 1 MiB buffers for all reads ahead together. */
  readonly readBuffers: number
  readonly openFilesMax: number
  /** Number of 512 KiB ranges that are remembered as read. */
  readonly recentReads: number
  /** Number of blocks whose location is cached: a power of two. */
  readonly recentPlaces: number
}

export const defaultSegmentLimits: SegmentLimits = {
  sealBytes: 256 * 1024 * 1024,
  slots: 32,
  readBuffers: 64,
  openFilesMax: 256,
  recentReads: 131_072,
  recentPlaces: 262_144,
}
