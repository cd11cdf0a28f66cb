// A network as the layers above use it: name, chain ID, head, readers over the content store, and the parts without proofs: the
// pool, and an EvmExecutor (embedded) or a Relay (upstreams).
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import type { FetchContext, Obtain, Peek, PeekNode } from '../content/ref.ts'
import { Fault } from '../base/fault.ts'
import type { KnownNetwork } from '../base/known-network.ts'
import type { CallProver, EvmExecutor } from './evm-executor.ts'
import type { FindFeeRules } from './fee-rules.ts'
import type { ForkConfigs } from './fork-configs.ts'
import type { BlockRef, Head } from './head.ts'
import type { EntryReader } from './entry-reader.ts'
import type { AccountMemory, HeaderMemory } from './proved-memory.ts'
import type { Relay } from './relay.ts'
import type { TransactionPool } from './transaction-pool.ts'

export type ProvedCalls = {
  /** Prover that reads state through `network`, so a network that records its reads records all content of the call. */
  on(network: Network): CallProver
}

/** Rules from the fork schedule of a network behind upstreams. */
export type ScheduledRules = ProvedCalls & {
  /** Null if the fee rules are not those of Ethereum. */
  readonly feeRules: FindFeeRules | null
  /** Call for each new head of `network`, once its header is in the memory of headers. */
  onHead(network: Network, head: BlockRef): void
}

export type Network = {
  readonly name: string
  readonly chainId: bigint
  /** Row of this network in the table of known networks; absent: no row, or the row must not be used. */
  readonly known?: KnownNetwork
  readonly head: Head
  /** Number of the first own block of a fork: blocks below are of the forked network. Absent: 0. */
  readonly firstBlock?: bigint
  readonly obtain: Obtain
  /** The result of `obtain` if it is available synchronously. */
  readonly peek: Peek
  /** As `peek`, for the next node of a trie walk. */
  readonly peekNode: PeekNode
  /** Headers proved before, decoded. */
  readonly headers: HeaderMemory
  /** Accounts proved before. Absent: each read walks the trie to its account. */
  readonly accounts?: AccountMemory
  /** Present if whole lists are not available: reads single entries. */
  readonly entries?: EntryReader
  /** The fetch context that every read of this network starts with. */
  readonly hint: FetchContext
  readonly pool: TransactionPool
  /** EVM of the embedded chain; null behind upstreams. */
  readonly executor: EvmExecutor | null
  /** Calls on proved state. Absent: the EvmExecutor or the relay answers calls. */
  readonly calls?: ProvedCalls
  /** Null without upstreams. */
  readonly relay: Relay | null
  /** Blob base fee update fraction at a block time (seconds), or null if unknown. */
  blobFeeFraction(timestamp: bigint): bigint | null
  /** Null: the fee rules are unknown, or not those of Ethereum. */
  readonly feeRules: FindFeeRules | null
  /** The forks before and after a block time (seconds), or null if the schedule is unknown. */
  forkConfigs(timestamp: bigint): ForkConfigs | null
}

/** The executor of a network, for methods that need one. Throws `no_method` if there is none. */
export function executorOf({ executor }: Network, method: string): EvmExecutor {
  if (executor !== null) return executor
  const detail = `The method ${method} does not exist/is not available`
  throw new Fault('no_method', { detail })
}

/** The executor or prover for a call, and the level of its answer. Throws `no_method`, and `unprovable` behind upstreams. */
export function callsOf(
  network: Network,
  method: string,
): { readonly calls: CallProver; readonly level: 'trusted' | 'proof' } {
  if (network.calls !== undefined) return { calls: network.calls.on(network), level: 'proof' }
  if (network.relay === null) return { calls: executorOf(network, method), level: 'trusted' }
  const detail = `the fork schedule of ${network.name} is not known: set genesisFile`
  throw new Fault('unprovable', { detail })
}

/** Throws `unprovable` if the fee rules are unknown or not those of Ethereum. */
export function feeRulesOf({ name, feeRules }: Network): FindFeeRules {
  if (feeRules !== null) return feeRules
  throw new Fault('unprovable', { detail: `the rules of fees of ${name} are not known` })
}
