// Limits of a segment store: file sizes, queues, caches.
// Tested by src/content/segments/segment-store.test.ts

export type SegmentLimits = {
  /** A segment of this size is sealed. */
  readonly sealBytes: number
  /** Slots of 4 MiB for all uploads together. */
  readonly slots: number
  /** Buffers of 1 MiB for all reads ahead together. */
  readonly readBuffers: number
  readonly openFilesMax: number
  /** Stretches of 512 KiB that are remembered as read. */
  readonly recentReads: number
  /** Blocks whose place is remembered: a power of two. */
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
