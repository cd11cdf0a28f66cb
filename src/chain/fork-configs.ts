// The features of a chain's forks, as eth_config returns them (EIP-7910).

/** The features of one fork (EIP-7910). `forkId`: 4 bytes; addresses as hex text by name. */
export type ForkConfig = {
  /** Seconds; 0 for a configuration that is active from the first block on. */
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

/** `next` and `last` are null if no fork is scheduled; equal if exactly one is. */
export type ForkConfigs = {
  readonly current: ForkConfig
  readonly next: ForkConfig | null
  readonly last: ForkConfig | null
}
