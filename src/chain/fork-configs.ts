// What the forks of a chain turn on, as eth_config tells it (EIP-7910).

/** What a fork turns on (EIP-7910). `forkId`: 4 bytes; addresses as hex text by name. */
export type ForkConfig = {
  /** Seconds; 0 for what was in force from the first block on. */
  readonly activationTime: number
  /** In blobs; null before Cancun. */
  readonly blobSchedule: {
    readonly target: number
    readonly max: number
    readonly baseFeeUpdateFraction: number
  } | null
  readonly forkId: Uint8Array
  readonly precompiles: Readonly<Record<string, string>>
  readonly systemContracts: Readonly<Record<string, string>>
}

/** `next` and `last` are null when no fork is scheduled; equal when one only is. */
export type ForkConfigs = {
  readonly current: ForkConfig
  readonly next: ForkConfig | null
  readonly last: ForkConfig | null
}
