// What a network is to the layers above: a name, a chain id, a head, readers over the content store,
// and the part that cannot be proved (Executor).
import type { Held, Hint, Obtain } from '../content/ref.ts'
import type { Executor } from './executor.ts'
import type { ForkConfigs } from './fork-configs.ts'
import type { Head } from './head.ts'
import type { HeaderMemory } from './proved-header.ts'

export type Network = {
  readonly name: string
  readonly chainId: bigint
  readonly head: Head
  readonly obtain: Obtain
  /** What `obtain` would give without a wait. */
  readonly held: Held
  /** Headers proved before, decoded. */
  readonly headers: HeaderMemory
  /** The hint every read of this network starts from. */
  readonly hint: Hint
  readonly executor: Executor
  /** Blob base fee update fraction in force at a block time (seconds), or null when unknown. */
  blobFeeFraction(timestamp: bigint): bigint | null
  /** The forks around a block time (seconds), or null when the schedule is unknown. */
  forkConfigs(timestamp: bigint): ForkConfigs | null
}
