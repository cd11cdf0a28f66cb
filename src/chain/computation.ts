// Requests to an EVM on a block's state: a call with its overrides, a simulation of blocks, a trace. Parsed values that are
// structured-clonable.
// Tested by src/devchain/engine/read-only-executions.test.ts

import type { Log } from '../codec/ethereum/receipt.ts'
import type { Transaction } from '../codec/ethereum/transaction.ts'

/** The owner of a call: database IDs, never the key itself. A Caller is one. */
export type CallOwner = { readonly accountId: string; readonly keyId: string }

/** A transaction of eth_call or eth_estimateGas. All values are parsed; absent: not given by the client. */
export type CallRequest = {
  readonly from?: Uint8Array
  readonly to?: Uint8Array
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly value?: bigint
  readonly data?: Uint8Array
  readonly nonce?: bigint
  readonly accessList?: readonly AccessListEntry[]
  readonly blobVersionedHashes?: readonly Uint8Array[]
  readonly maxFeePerBlobGas?: bigint
  readonly authorizationList?: readonly {
    readonly chainId: bigint
    readonly address: Uint8Array
    readonly nonce: bigint
    readonly yParity: bigint
    readonly r: bigint
    readonly s: bigint
  }[]
}

/** An account changed before the call. `address`: 20 bytes; slots and words: 32 bytes each. */
export type StateOverride = {
  readonly address: Uint8Array
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  /** Replaces the whole storage. */
  readonly state?: readonly StorageWord[]
  /** Single slots. */
  readonly stateDiff?: readonly StorageWord[]
  /** New address of the precompiled contract of this address, 20 bytes. */
  readonly movePrecompileTo?: Uint8Array
}

export type StorageWord = { readonly slot: Uint8Array; readonly word: Uint8Array }

/** Header fields that replace the block's own in a call; `time` in seconds. */
export type BlockOverrides = {
  readonly number?: bigint
  readonly time?: bigint
  readonly gasLimit?: bigint
  readonly feeRecipient?: Uint8Array
  readonly prevRandao?: Uint8Array
  readonly baseFeePerGas?: bigint
  readonly blobBaseFee?: bigint
  /** 32 bytes. Only for simulated blocks. */
  readonly beaconRoot?: Uint8Array
  /** Only for simulated blocks. */
  readonly withdrawals?: readonly Withdrawal[]
}

/** EIP-4895. `amount` in gwei. */
export type Withdrawal = {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Uint8Array
  readonly amount: bigint
}

export type Overrides = {
  readonly state: readonly StateOverride[]
  readonly block: BlockOverrides
}

export const noOverrides: Overrides = { state: [], block: {} }

/** EIP-2930 entries: `address` 20 bytes, `storageKeys` 32 bytes each. */
export type AccessListEntry = {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** `error`: geth's message if the call failed with that list. */
export type AccessListReport = {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  readonly error: string | null
}

/** The default tracer. `limit`: maximum number of instructions, 0 for all. */
export type StructOptions = {
  readonly disableStorage: boolean
  readonly disableStack: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  readonly limit: number
}

export type CallTracerOptions = { readonly onlyTopCall: boolean; readonly withLog: boolean }

export type PrestateOptions = {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  /** Includes accounts that did not exist before. Not together with `diffMode`. */
  readonly includeEmpty: boolean
}

export type TracerChoice =
  | ({ readonly kind: 'struct' } & StructOptions)
  | ({ readonly kind: 'call' } & CallTracerOptions)
  | ({ readonly kind: 'prestate' } & PrestateOptions)
  | { readonly kind: '4byte' }
  | { readonly kind: 'noop' }

/** `hash`: of the transaction, 32 bytes. `result`: a JSON value. */
export type TransactionTrace = { readonly hash: Uint8Array; readonly result: unknown }

/**
 * A page of an account's storage, ordered by `hashedKey` (keccak256 of the slot). `next`: the first key after the page.
 */
export type StorageRange = {
  readonly slots: readonly { readonly hashedKey: Uint8Array; readonly value: Uint8Array }[]
  readonly next: Uint8Array | null
}

/** One block to simulate: its overrides and its calls. */
export type RequestedBlock = Overrides & { readonly calls: readonly CallRequest[] }

/** eth_simulateV1. `validation`: calls pay and are validated like transactions. */
export type BlockSimulation = {
  readonly blocks: readonly RequestedBlock[]
  readonly traceTransfers: boolean
  readonly validation: boolean
}

/** `error`: in JSON-RPC form. `maxUsedGas`: before refunds. */
export type SimulatedCall = {
  readonly status: boolean
  readonly returnData: Uint8Array
  readonly gasUsed: bigint
  readonly maxUsedGas: bigint
  readonly logs: readonly Log[]
  readonly error: { readonly code: number; readonly message: string; readonly data?: string } | null
}

/**
 * A simulated block, not part of the chain. `header`, `withdrawals`: RLP; `from`: 20 bytes; unsigned: r, s and v are 0.
 */
export type SimulatedBlock = {
  readonly header: Uint8Array
  readonly withdrawals: Uint8Array | null
  readonly transactions: readonly { readonly transaction: Transaction; readonly from: Uint8Array }[]
  readonly calls: readonly SimulatedCall[]
}
