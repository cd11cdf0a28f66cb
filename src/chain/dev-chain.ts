// What development tools order of an embedded chain beside transactions: state, time, mining, snapshots. Plain,
// structured-clonable values, parsed by the caller.
// Tested by src/devchain/vm/dev-orders.test.ts
import type { AccountChange } from '../codec/ethereum/state-change.ts'
import type { CallOwner, CallRequest } from './computation.ts'
import type { BlockRef } from './head.ts'

/** How the next blocks are made. Times in seconds, prices in wei. Null: as without any order. */
export type BlockPlan = {
  /** Added to the clock. */
  readonly offset: bigint
  /** Of the next block alone. */
  readonly nextTimestamp: bigint | null
  /** Between a block and its parent. */
  readonly timestampInterval: bigint | null
  /** Of the next block alone. */
  readonly nextBaseFee: bigint | null
  /** Of the next block alone, 32 bytes. */
  readonly nextPrevRandao: Uint8Array | null
  /** Fee recipient, 20 bytes. */
  readonly coinbase: Uint8Array | null
  readonly gasLimit: bigint | null
}

/** Which events make blocks. Null: as the settings of the network say. */
export type MiningPlan = {
  /** A block for each transaction. */
  readonly auto: boolean | null
  /** Milliseconds between blocks; with two numbers, each time a random one between them. 0: none. */
  readonly intervalMs: number | readonly [min: number, max: number] | null
}

/** A transaction without a signature. Absent members are filled by the chain. */
export type UnsignedRequest = CallRequest & { readonly from: Uint8Array; readonly gas: bigint }

export type DevOrder =
  | { readonly kind: 'state' }
  | {
      readonly kind: 'plan'
      readonly blocks?: Partial<BlockPlan>
      readonly mining?: Partial<MiningPlan>
    }
  | { readonly kind: 'increase-time'; readonly seconds: bigint }
  /** Seconds since 1970; `next` blocks continue from there. */
  | { readonly kind: 'set-time'; readonly time: bigint }
  /** `interval`: seconds between the blocks; null: as planned. */
  | { readonly kind: 'mine'; readonly blocks: number; readonly interval: bigint | null }
  /** `nonceRises`: refused for a nonce below the account's. */
  | {
      readonly kind: 'change'
      readonly changes: readonly AccountChange[]
      readonly nonceRises?: boolean
    }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'revert'; readonly snapshot: bigint }
  | { readonly kind: 'reset' }
  /** `address` null: every account. */
  | { readonly kind: 'impersonate'; readonly address: Uint8Array | null; readonly on: boolean }
  /** Whether `send` takes a transaction from it. */
  | { readonly kind: 'may-send'; readonly from: Uint8Array }
  /** Without a check that the sender is impersonated when `anySender`. */
  | { readonly kind: 'send'; readonly request: UnsignedRequest; readonly anySender: boolean }
  /** A transaction by its hash, all of a sender, or all. */
  | { readonly kind: 'drop'; readonly hash?: Uint8Array; readonly sender?: Uint8Array }

export type DevState = {
  /** Of the pending block. */
  readonly timestamp: bigint
  /** Fee recipient of the next block, 20 bytes. */
  readonly coinbase: Uint8Array
  readonly blocks: BlockPlan
  readonly mining: {
    readonly auto: boolean
    /** Null: as the settings of the network say. */
    readonly intervalMs: MiningPlan['intervalMs']
  }
  /** Another one after each start and each reset, 32 bytes. */
  readonly instanceId: Uint8Array
  /** The block that the chain is forked from; null: it has a genesis block. `hash`: 32 bytes. */
  readonly fork: {
    /** Name of the forked network. */
    readonly source: string
    readonly number: bigint
    readonly hash: Uint8Array
  } | null
}

/** The answers, by kind of order. */
export type DevResults = {
  readonly state: DevState
  readonly plan: DevState
  readonly 'increase-time': DevState
  readonly 'set-time': DevState
  /** The last block. */
  readonly mine: BlockRef
  /** The block that carries the change. */
  readonly change: BlockRef
  /** Number of the snapshot, from 1. */
  readonly snapshot: bigint
  /** False: no such snapshot. */
  readonly revert: boolean
  readonly reset: null
  /** False: it was so before. */
  readonly impersonate: boolean
  readonly 'may-send': boolean
  /** Hash of the transaction. */
  readonly send: Uint8Array
  /** How many. */
  readonly drop: number
}

export interface DevChain {
  /**
   * Runs one order after those before it. Throws `execution_failed` with a sentence for an order that the chain cannot
   * follow, and for `send` as `TransactionPool.send`.
   */
  run<Order extends DevOrder>(
    order: Order,
    signal: AbortSignal,
    owner?: CallOwner,
  ): Promise<DevResults[Order['kind']]>
}
