// What a network is to the layers above: a name, a chain id, a head, readers over the content store,
// and the parts that cannot be proved: the pool, and an Executor (embedded) or a Relay (upstreams).
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import type { Peek, PeekNode, FetchContext, Obtain } from '../content/ref.ts'
import { Fault } from '../base/fault.ts'
import type { EvmExecutor } from './evm-executor.ts'
import type { ForkConfigs } from './fork-configs.ts'
import type { Head } from './head.ts'
import type { EntryReader } from './entry-reader.ts'
import type { AccountMemory } from './proved-account.ts'
import type { HeaderMemory } from './proved-header.ts'
import type { Relay } from './relay.ts'
import type { TransactionPool } from './transaction-pool.ts'

export type Network = {
  readonly name: string
  readonly chainId: bigint
  readonly head: Head
  readonly obtain: Obtain
  /** What `obtain` would give without a wait. */
  readonly peek: Peek
  /** The same for the next node of a walk. */
  readonly peekNode: PeekNode
  /** Headers proved before, decoded. */
  readonly headers: HeaderMemory
  /** Accounts proved before; not given: each read walks to its own. */
  readonly accounts?: AccountMemory
  /** Given where lists are not at hand whole: single entries are then read through it. */
  readonly entries?: EntryReader
  /** The hint every read of this network starts from. */
  readonly hint: FetchContext
  readonly pool: TransactionPool
  /** Null where no EVM of ours runs: then the relay answers. */
  readonly executor: EvmExecutor | null
  /** Null where there is nobody to ask. */
  readonly relay: Relay | null
  /** Blob base fee update fraction in force at a block time (seconds), or null when unknown. */
  blobFeeFraction(timestamp: bigint): bigint | null
  /** The forks around a block time (seconds), or null when the schedule is unknown. */
  forkConfigs(timestamp: bigint): ForkConfigs | null
}

/** Of a network whose operations need one; elsewhere the method is not there (`no_method`). */
export function executorOf({ executor }: Network, method: string): EvmExecutor {
  if (executor !== null) return executor
  const detail = `The method ${method} does not exist/is not available`
  throw new Fault('no_method', { detail })
}
