// Limits of `obtain`: concurrent fetches, bytes in memory, cached entries.
// Tested by src/content/obtain.test.ts

export type ObtainLimits = {
  /** Concurrent fetches. */
  readonly flightsMax: number
  /** Verified bytes on their way to the store. */
  readonly keepingBytesMax: number
  readonly extrasMax: number
  readonly extrasBytesMax: number
  /** Verified bytes in memory. */
  readonly memoryBytesMax: number
}

export const defaultObtainLimits: ObtainLimits = {
  flightsMax: 4096,
  keepingBytesMax: 32 * 1024 * 1024,
  extrasMax: 4096,
  extrasBytesMax: 16 * 1024 * 1024,
  memoryBytesMax: 32 * 1024 * 1024,
}
