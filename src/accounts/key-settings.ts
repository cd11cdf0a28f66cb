// What the owner of an ApiKey may set. Null means: no limit. Kept as JSON in api_key.settings.

export type KeySettings = {
  /** JSON-RPC calls must carry the secret. */
  readonly secretRequired: boolean
  /** Names of the networks the key may use; null = all. */
  readonly networks: readonly string[] | null
  /** The file face is open to the key. */
  readonly files: boolean
  readonly unitsPerSecond: number | null
  readonly unitsPerDay: number | null
  readonly filesReadsPerSecond: number | null
  readonly filesWritesPerSecond: number | null
}

export const defaultKeySettings: KeySettings = {
  secretRequired: false,
  networks: null,
  files: true,
  unitsPerSecond: null,
  unitsPerDay: null,
  filesReadsPerSecond: null,
  filesWritesPerSecond: null,
}
