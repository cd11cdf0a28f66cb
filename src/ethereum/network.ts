// What a network is to the layers above: a name, a chain id, a head, readers over the content store,
// and the part that cannot be proved (Executor).
import type { Held, Hint, Obtain } from '../content/ref.ts'
import type { HeaderMemory } from './proved-header.ts'
import type { BlockParts } from '../codec/block.ts'
import type { Arrivals } from './arrivals.ts'
import type {
  AccessListReport,
  BlockSimulation,
  CallRequest,
  Overrides,
  SimulatedBlock,
  TracerChoice,
  TransactionTrace,
} from './computation.ts'

/** A block fixed for the rest of a request. `hash`: 32 bytes. */
export type BlockRef = {
  readonly network: string
  readonly hash: Uint8Array
  readonly number: bigint
}

/** How a tag or number became a hash (`x-cairn-head`). */
export type Anchor = 'embedded' | 'trusted' | 'single' | `quorum:${number}/${number}`

/** Tags and numbers, the only mutable facts of a network. Nothing here is proved; everything below is. */
export interface Head {
  readonly anchor: Anchor
  latest(): BlockRef
  /** Null when the head policy knows none. */
  safe(): BlockRef | null
  finalized(): BlockRef | null
  /** The canonical block of that number, or null above the head. */
  byNumber(number: bigint): BlockRef | null
  /** Judged anew on each call, against the present chain. */
  isCanonical(hash: Uint8Array, number: bigint): boolean
  /** Where a transaction is said to be: a hint to be checked against the proved list. */
  locate(
    transactionHash: Uint8Array,
  ): { readonly blockHash: Uint8Array; readonly index: number } | null
}

/** A call on the state after `block`. */
export type AskedCall = {
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
 * What needs an EVM or a transaction pool. Its answers are labelled `trusted` (embedded) or less. What is
 * worked out takes turns among keys (`keyId`); beside what each throws, `execution_failed` when it ran for
 * too long and `overloaded` when too much of that key waits.
 */
export interface Executor {
  /** Return data. Throws `reverted` with the revert bytes as hex in `data`, `execution_failed` otherwise. */
  call(asked: AskedCall, keyId: string, signal: AbortSignal): Promise<Uint8Array>
  /** The least gas with which the request succeeds. Throws as `call`. */
  estimateGas(asked: AskedCall, keyId: string, signal: AbortSignal): Promise<bigint>
  /** What the request touches, and the gas it uses when that is declared beforehand. */
  createAccessList(asked: AskedCall, keyId: string, signal: AbortSignal): Promise<AccessListReport>
  /**
   * Blocks that would follow `block` (contract-rpc 9). Throws `execution_failed`, `response_too_large`, and
   * for what the service's own bounds or a transaction's rules forbid the faults of code -38010 to -38026.
   */
  simulate(
    asked: { readonly block: BlockRef; readonly simulation: BlockSimulation },
    keyId: string,
    signal: AbortSignal,
  ): Promise<readonly SimulatedBlock[]>
  /** How the request runs, as a JSON value. */
  traceCall(
    asked: AskedCall & { readonly tracer: TracerChoice },
    keyId: string,
    signal: AbortSignal,
  ): Promise<unknown>
  /** How the transactions of a block ran: all, or the one at `index`. Throws `pruned`, `no_state`. */
  traceBlock(
    asked: {
      readonly block: BlockRef
      readonly index: number | null
      readonly tracer: TracerChoice
    },
    keyId: string,
    signal: AbortSignal,
  ): Promise<readonly TransactionTrace[]>
  /**
   * Takes a signed transaction (types 0-4, type 3 in its network form) and resolves with its hash, when
   * mining is automatic after its block is durable. Throws `pool_refused` with geth's texts, `no_space`.
   */
  send(raw: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  /** Transaction count of `address` including the pool. */
  pendingNonce(address: Uint8Array, signal: AbortSignal): Promise<bigint>
  /** Raw bytes (without sidecar) of a transaction that waits in the pool, or null. */
  pendingTransaction(hash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null>
  /** What waits: of `sender`, or of everybody (null). */
  poolContent(sender: Uint8Array | null, signal: AbortSignal): Promise<PoolContent>
  poolCounts(signal: AbortSignal): Promise<PoolCounts>
  /** The next block as the pool would make it now: executed, but not a block of the chain. */
  pendingBlock(signal: AbortSignal): Promise<BlockParts>
  /** Makes a block of what waits, empty when nothing does. Throws `no_method` where others make the blocks. */
  mine(signal: AbortSignal): Promise<BlockRef>
  /** Transactions in the order in which they became ready for a block. */
  readonly arrivals: Arrivals
  /** Addresses whose keys are public on this network (eth_accounts); empty elsewhere. */
  readonly accounts: readonly Uint8Array[]
}

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
