// Limits of `obtain` (concurrent fetches, bytes in memory, cached entries) and its events, for metrics.
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

/**
 * `remembered`: found in memory, verified before. `held`: found here, verified. `misread`: a read of the
 * stored copy failed or gave wrong bytes, and it is read again. `bad_copy`: it stays wrong, and is in quarantine, or it
 * cannot be read. Of a source: `fetched`; `lied`: its bytes were not what was asked; `absent`: it has none;
 * `failed`: it could not be asked. `not_kept`: verified, but the store did not take it.
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

/** `source`: its name, or null when the event is none of a source. */
export type CountObtain = (event: ObtainEvent, source: string | null) => void
