// A network as the layers above use it: a name, a chain ID, a head, readers over the content store,
// and the parts without proofs: the pool, and an EvmExecutor (embedded) or a Relay (upstreams).
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import type { FetchContext, Obtain, Peek, PeekNode } from '../content/ref.ts'
import { Fault } from '../base/fault.ts'
import type { EvmExecutor } from './evm-executor.ts'
import type { ForkConfigs } from './fork-configs.ts'
import type { Head } from './head.ts'
import type { EntryReader } from './entry-reader.ts'
import type { AccountMemory, HeaderMemory } from './proved-memory.ts'
import type { Relay } from './relay.ts'
import type { TransactionPool } from './transaction-pool.ts'

export type Network = {
  readonly name: string
  readonly chainId: bigint
  readonly head: Head
  readonly obtain: Obtain
  /** The result of `obtain` if it is available without a wait. */
  readonly peek: Peek
  /** The same for the next node of a walk. */
  readonly peekNode: PeekNode
  /** Headers proved before, decoded. */
  readonly headers: HeaderMemory
  /** Accounts proved before; not given: each read walks to its account. */
  readonly accounts?: AccountMemory
  /** Given if whole lists are not available: single entries are then read through it. */
  readonly entries?: EntryReader
  /** The fetch context that every read of this network starts with. */
  readonly hint: FetchContext
  readonly pool: TransactionPool
  /** Null if Cairn runs no EVM for it: then the relay answers. */
  readonly executor: EvmExecutor | null
  /** Null without upstreams. */
  readonly relay: Relay | null
  /** Blob base fee update fraction in force at a block time (seconds), or null when unknown. */
  blobFeeFraction(timestamp: bigint): bigint | null
  /** The forks around a block time (seconds), or null when the schedule is unknown. */
  forkConfigs(timestamp: bigint): ForkConfigs | null
}

/** Of a network whose operations need one; otherwise throws `no_method`. */
export function executorOf({ executor }: Network, method: string): EvmExecutor {
  if (executor !== null) return executor
  const detail = `The method ${method} does not exist/is not available`
  throw new Fault('no_method', { detail })
}
