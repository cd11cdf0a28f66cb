// What the embedded chain can only say by running its EVM or looking into its own pool, and nobody can prove.
import type { BlockParts } from '../codec/ethereum/block.ts'
import type {
  AccessListReport,
  BlockSimulation,
  CallRequest,
  Overrides,
  SimulatedBlock,
  StorageRange,
  TracerChoice,
  TransactionTrace,
} from './computation.ts'
import type { BlockRef } from './head.ts'

/** Whose call it is: ids of rows, never the key itself. A Caller is one. */
export type CallOwner = { readonly accountId: string; readonly keyId: string }

/** A call on the state after `block`. */
export type RequestedCall = {
  readonly request: CallRequest
  readonly block: BlockRef
  readonly overrides: Overrides
}

/** A transaction in the pool. `sender`: 20 bytes; `raw`: without its sidecar. */
export type WaitingTransaction = { readonly sender: Uint8Array; readonly raw: Uint8Array }

/** `pending`: their nonces are next in line; `queued`: after a gap. By sender, lowest nonce first. */
export type PoolContent = {
  readonly pending: readonly WaitingTransaction[]
  readonly queued: readonly WaitingTransaction[]
}

export type PoolCounts = { readonly pending: number; readonly queued: number }

/**
 * What needs an EVM or the whole pool. Its answers are labelled `trusted`. What is
 * worked out takes turns among accounts and their keys (`owner`); beside what each throws, `execution_failed` when it ran for
 * too long and `overloaded` when too much of that account waits.
 */
export interface EvmExecutor {
  /** Return data. Throws `reverted` with the revert bytes as hex in `data`, `execution_failed` otherwise. */
  call(asked: RequestedCall, owner: CallOwner, signal: AbortSignal): Promise<Uint8Array>
  /** The least gas with which the request succeeds. Throws as `call`. */
  estimateGas(asked: RequestedCall, owner: CallOwner, signal: AbortSignal): Promise<bigint>
  /** What the request touches, and the gas it uses when that is declared beforehand. */
  createAccessList(
    asked: RequestedCall,
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<AccessListReport>
  /**
   * Blocks that would follow `block`. Throws `execution_failed`, `response_too_large`, and
   * for what the service's own bounds or a transaction's rules forbid the faults of code -38010 to -38026.
   */
  simulate(
    asked: { readonly block: BlockRef; readonly simulation: BlockSimulation },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<readonly SimulatedBlock[]>
  /** How the request runs, as a JSON value. */
  traceCall(
    asked: RequestedCall & { readonly tracer: TracerChoice },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<unknown>
  /**
   * How the transactions of a block ran, or would run if it is given in parts: all, or the one at `index`. Throws
   * `pruned`, `no_state`, and `execution_failed` for parts that are no block on top of a known one.
   */
  traceBlock(
    asked: {
      readonly block: BlockRef | BlockParts
      readonly index: number | null
      readonly tracer: TracerChoice
    },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<readonly TransactionTrace[]>
  /**
   * The storage of `address` right before the transaction at `index`, from the hashed key `start` (32 bytes) on, at most
   * `max` slots; null when it has none. Throws `pruned`, `no_state`, and `execution_failed` for an index that is not there.
   */
  storageRange(
    asked: {
      readonly block: BlockRef
      readonly index: number
      readonly address: Uint8Array
      readonly start: Uint8Array
      readonly max: number
    },
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<StorageRange | null>
  /** What waits: of `sender`, or of everybody (null). */
  poolContent(
    sender: Uint8Array | null,
    signal: AbortSignal,
    owner?: CallOwner,
  ): Promise<PoolContent>
  poolCounts(signal: AbortSignal, owner?: CallOwner): Promise<PoolCounts>
  /** The next block as the pool would make it now: executed, but not a block of the chain. */
  pendingBlock(signal: AbortSignal, owner?: CallOwner): Promise<BlockParts>
  /** Makes a block of what waits, empty when nothing does. Throws `no_method` where others make the blocks. */
  mine(signal: AbortSignal, owner?: CallOwner): Promise<BlockRef>
  /** Addresses whose keys are public on this network (eth_accounts); empty elsewhere. */
  readonly accounts: readonly Uint8Array[]
}
