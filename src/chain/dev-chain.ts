// Orders of development tools to an embedded chain, other than transactions: state, time, mining, snapshots. Parsed values that
// are structured-clonable.
// Tested by src/devchain/engine/dev-orders.test.ts
import type { AccountChange } from '../codec/ethereum/state-change.ts'
import type { CallOwner, CallRequest } from './computation.ts'
import type { BlockRef } from './head.ts'

/** Header fields of the next blocks. Times in seconds, prices in wei. Null: no order has set the value. */
export type BlockPlan = {
  /** Offset that is added to the clock. */
  readonly offset: bigint
  /** For the next block only. */
  readonly nextTimestamp: bigint | null
  /** Seconds between a block and its parent. */
  readonly timestampInterval: bigint | null
  /** For the next block only. */
  readonly nextBaseFee: bigint | null
  /** For the next block only, 32 bytes. */
  readonly nextPrevRandao: Uint8Array | null
  /** Fee recipient, 20 bytes. */
  readonly coinbase: Uint8Array | null
  readonly gasLimit: bigint | null
}

/** Events that make blocks. Null: the value from the settings of the network. */
export type MiningPlan = {
  /** True: each transaction makes a block. */
  readonly auto: boolean | null
  /** Milliseconds between blocks; with two numbers, a random value between them each time. 0: no blocks. */
  readonly intervalMs: number | readonly [min: number, max: number] | null
}

/** A transaction without a signature. The chain fills absent members. */
export type UnsignedRequest = CallRequest & { readonly from: Uint8Array; readonly gas: bigint }

export type DevOrder =
  | { readonly kind: 'state' }
  | {
      readonly kind: 'plan'
      readonly blocks?: Partial<BlockPlan>
      readonly mining?: Partial<MiningPlan>
    }
  | { readonly kind: 'increase-time'; readonly seconds: bigint }
  /** Sets the clock: seconds since 1970 UTC. It continues from there. */
  | { readonly kind: 'set-time'; readonly time: bigint }
  /** `interval`: seconds between the blocks; null: as planned. */
  | { readonly kind: 'mine'; readonly blocks: number; readonly interval: bigint | null }
  /** `nonceRises`: refuse a nonce that is lower than the account's. */
  | {
      readonly kind: 'change'
      readonly changes: readonly AccountChange[]
      readonly nonceRises?: boolean
    }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'revert'; readonly snapshot: bigint }
  | { readonly kind: 'reset' }
  /** `address` null: all accounts. */
  | { readonly kind: 'impersonate'; readonly address: Uint8Array | null; readonly on: boolean }
  /** Reports if `send` accepts transactions from this account. */
  | { readonly kind: 'may-send'; readonly from: Uint8Array }
  /** With `anySender`, the sender need not be impersonated. */
  | { readonly kind: 'send'; readonly request: UnsignedRequest; readonly anySender: boolean }
  /** Drops the transaction with a hash, all transactions of a sender, or all transactions. */
  | { readonly kind: 'drop'; readonly hash?: Uint8Array; readonly sender?: Uint8Array }

export type DevState = {
  /** Timestamp of the pending block, seconds. */
  readonly timestamp: bigint
  /** Fee recipient of the next block, 20 bytes. */
  readonly coinbase: Uint8Array
  readonly blocks: BlockPlan
  readonly mining: {
    readonly auto: boolean
    /** Null: the value from the settings of the network. */
    readonly intervalMs: MiningPlan['intervalMs']
  }
  /** Changes at each start and each reset, 32 bytes. */
  readonly instanceId: Uint8Array
  /** The block from which the chain is forked; null: it has a genesis block of its own. `hash`: 32 bytes. */
  readonly fork: {
    /** Name of the forked network. */
    readonly source: string
    readonly number: bigint
    readonly hash: Uint8Array
  } | null
}

/** The result of each kind of order. */
export type DevResults = {
  readonly state: DevState
  readonly plan: DevState
  readonly 'increase-time': DevState
  readonly 'set-time': DevState
  /** The last block. */
  readonly mine: BlockRef
  /** The block that contains the change. */
  readonly change: BlockRef
  /** Number of the snapshot, from 1. */
  readonly snapshot: bigint
  /** False: no such snapshot. */
  readonly revert: boolean
  readonly reset: null
  /** False: it was already in this state. */
  readonly impersonate: boolean
  readonly 'may-send': boolean
  /** Hash of the transaction. */
  readonly send: Uint8Array
  /** Number of dropped transactions. */
  readonly drop: number
}

export interface DevChain {
  /**
   * Runs one order, after all earlier orders. Throws `execution_failed` with a message if the chain cannot execute the order,
   * and for `send` as `TransactionPool.send`.
   */
  run<Order extends DevOrder>(
    order: Order,
    signal: AbortSignal,
    owner?: CallOwner,
  ): Promise<DevResults[Order['kind']]>
}
