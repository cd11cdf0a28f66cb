// Operations that the embedded chain computes with its EVM or reads from its pool, without proofs.
import type { BlockParts } from '../codec/ethereum/block.ts'
import type {
  AccessListReport,
  BlockSimulation,
  CallOwner,
  CallRequest,
  Overrides,
  SimulatedBlock,
  StorageRange,
  TracerChoice,
  TransactionTrace,
} from './computation.ts'
import type { DevChain } from './dev-chain.ts'
import type { BlockRef } from './head.ts'

/** A call on the state after `block`. */
export type RequestedCall = {
  readonly request: CallRequest
  readonly block: BlockRef
  readonly overrides: Overrides
}

/** A transaction in the pool. `sender`: 20 bytes; `raw`: without its sidecar. */
export type PooledTransaction = { readonly sender: Uint8Array; readonly raw: Uint8Array }

/** `pending`: consecutive from the next nonce; `queued`: after a nonce gap. By sender, lowest nonce first. */
export type PoolContent = {
  readonly pending: readonly PooledTransaction[]
  readonly queued: readonly PooledTransaction[]
}

export type PoolCounts = { readonly pending: number; readonly queued: number }

/**
 * Operations that need an EVM or the whole pool. Their answers have the level `trusted`. Accounts and their keys (`owner`) share
 * the EVM fairly. In addition to its own errors, each throws `execution_failed` after its time limit and `overloaded` if too
 * many calls of that account wait.
 */
export interface EvmExecutor {
  /** Returns the return data. Throws `reverted` with the revert data as hex in `data`, otherwise `execution_failed`. */
  call(options: RequestedCall, owner: CallOwner, signal: AbortSignal): Promise<Uint8Array>
  /** Returns the minimum gas with which the request succeeds. Throws like `call`. */
  estimateGas(options: RequestedCall, owner: CallOwner, signal: AbortSignal): Promise<bigint>
  /** Returns the accounts and slots that the request accesses, and its gas with that access list. */
  createAccessList(
    options: RequestedCall,
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<AccessListReport>
  /**
   * Simulates blocks after `block` (eth_simulateV1). Throws `execution_failed`, `response_too_large`, and, for limits of the
   * server and rules of transactions, the faults with geth's codes -38010 to -38026.
   */
  simulate(
    options: { readonly block: BlockRef; readonly simulation: BlockSimulation },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<readonly SimulatedBlock[]>
  /** Returns the trace of the request as a JSON value. */
  traceCall(
    options: RequestedCall & { readonly tracer: TracerChoice },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<unknown>
  /**
   * Traces the transactions of a stored block, or of one given in parts: all, or the one at `index`. Throws `pruned`,
   * `no_state`, and `execution_failed` for parts that are not a valid block on a known parent.
   */
  traceBlock(
    options: {
      readonly block: BlockRef | BlockParts
      readonly index: number | null
      readonly tracer: TracerChoice
    },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<readonly TransactionTrace[]>
  /**
   * Returns at most `max` slots of `address` directly before the transaction at `index`, from the hashed key `start` (32 bytes)
   * on; null for an account without storage. Throws `pruned`, `no_state`, and `execution_failed` for an index out of range.
   */
  storageRange(
    options: {
      readonly block: BlockRef
      readonly index: number
      readonly address: Uint8Array
      readonly start: Uint8Array
      readonly max: number
    },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<StorageRange | null>
  /** Pending transactions: of `sender`, or of all senders (null). */
  poolContent(
    sender: Uint8Array | null,
    signal: AbortSignal,
    owner?: CallOwner,
  ): Promise<PoolContent>
  poolCounts(signal: AbortSignal, owner?: CallOwner): Promise<PoolCounts>
  /** The next block as the pool would make it now: executed, but not added to the chain. */
  pendingBlock(signal: AbortSignal, owner?: CallOwner): Promise<BlockParts>
  /**
   * Makes a block of the pending transactions, empty if there are none. Throws `no_method` on a network whose blocks are made
   * elsewhere.
   */
  mine(signal: AbortSignal, owner?: CallOwner): Promise<BlockRef>
  /** Executes orders of development tools. */
  readonly dev: DevChain
  /** Addresses whose private keys are public on this network (eth_accounts); empty on other networks. */
  readonly accounts: readonly Uint8Array[]
}

/**
 * Calls that Cairn executes on proved state, behind upstreams. Errors as above, and `unprovable` if the call exceeds its limits of
 * reads or time, the fork rules of its block are unknown, or the state root of a simulated block cannot be computed. They also
 * throw the errors of reading state.
 */
export type CallProver = Pick<
  EvmExecutor,
  'call' | 'estimateGas' | 'createAccessList' | 'simulate' | 'traceCall'
>
