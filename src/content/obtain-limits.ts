// Limits of `obtain` (concurrent fetches, bytes in memory, cached entries) and its events, for metrics.
// Tested by src/content/obtain.test.ts

export type ObtainLimits = {
  /** Concurrent fetches. */
  readonly flightsMax: number
  /** Maximum verified bytes in the write-behind queue. */
  readonly writeBehindBytesMax: number
  readonly unrequestedMax: number
  readonly unrequestedBytesMax: number
  /** Maximum verified bytes in the memory cache. */
  readonly memoryBytesMax: number
}

export const defaultObtainLimits: ObtainLimits = {
  flightsMax: 4096,
  writeBehindBytesMax: 32 * 1024 * 1024,
  unrequestedMax: 4096,
  unrequestedBytesMax: 16 * 1024 * 1024,
  memoryBytesMax: 32 * 1024 * 1024,
}

/**
 * `remembered`: found in memory, verified earlier. `held`: found in the store, verified. `misread`: a read of the stored copy
 * failed or returned wrong bytes, and is repeated. `bad_copy`: the copy is still wrong and is quarantined, or it cannot be read. Of
 * a source: `fetched`; `lied`: its bytes did not match the ref; `absent`: it does not have the content; `failed`: the request
 * failed. `not_kept`: verified, but not stored.
 */
export type ObtainEvent =
  | 'remembered'
  | 'held'
  | 'misread'
  | 'bad_copy'
  | 'fetched'
  | 'lied'
  | 'absent'
  | 'failed'
  | 'not_kept'

/** `source`: its name, or null if the event does not concern a source. */
export type CountObtain = (event: ObtainEvent, source: string | null) => void
