// What an EVM may be asked to work out on a block's state: a call and what it changes beforehand, a
// simulation of blocks, a trace. Plain, structured-clonable values, parsed by the gateway.
// Tested by src/ethereum/embedded/vm/calls.test.ts

/** A transaction as eth_call and eth_estimateGas give it. All values parsed; absent means not given. */
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
  /** The whole storage anew. */
  readonly state?: readonly StorageWord[]
  /** Single slots. */
  readonly stateDiff?: readonly StorageWord[]
}

export type StorageWord = { readonly slot: Uint8Array; readonly word: Uint8Array }

/** Header fields that the call sees in place of the block's own; `time` in seconds. */
export type BlockOverrides = {
  readonly number?: bigint
  readonly time?: bigint
  readonly gasLimit?: bigint
  readonly feeRecipient?: Uint8Array
  readonly prevRandao?: Uint8Array
  readonly baseFeePerGas?: bigint
  readonly blobBaseFee?: bigint
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

/** `error`: geth's text when the call failed with that list. */
export type AccessListReport = {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  readonly error: string | null
}

/** The default tracer. `limit`: most instructions to list, 0 for all. */
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
}

export type TracerChoice =
  | ({ readonly kind: 'struct' } & StructOptions)
  | ({ readonly kind: 'call' } & CallTracerOptions)
  | ({ readonly kind: 'prestate' } & PrestateOptions)
  | { readonly kind: '4byte' }
  | { readonly kind: 'noop' }

/** `hash`: of the transaction, 32 bytes. `result`: a JSON value. */
export type TransactionTrace = { readonly hash: Uint8Array; readonly result: unknown }
