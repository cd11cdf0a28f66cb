// What crosses between the request thread and the thread of proved calls. Everything is structured-clonable; all values
// were proved by the request thread.
import type { AccessListEntry } from '../chain/computation.ts'
import type { AccountState } from '../codec/ethereum/account-state.ts'
import type { PackedFailure } from '../evm/threads/packed-failure.ts'
import type { TimeSliceLimits } from '../evm/time-slice.ts'
import type { ProvedExecution } from './proved-execution.ts'
import type { ReadLimits } from './proved-state.ts'

export type ProvedThreadData = { readonly limits: TimeSliceLimits; readonly reads: ReadLimits }

export type ProvedTask = {
  readonly network: string
  readonly accountId: string
  readonly execution: ProvedExecution
  /** RLP. */
  readonly header: Uint8Array
  /** The `config` of a geth genesis file, as JSON text: the fork schedule. */
  readonly config: string
  readonly callGasMax: bigint
  /** Every value is asked for, so that a proof bundle can record it. */
  readonly isRecorded: boolean
}

/** A value that the EVM lacks. `address`: 20 bytes; the others 32. */
export type MissingValue =
  | { readonly kind: 'account'; readonly address: Uint8Array }
  | {
      readonly kind: 'slot'
      readonly address: Uint8Array
      readonly storageRoot: Uint8Array
      readonly position: Uint8Array
    }
  | { readonly kind: 'code'; readonly address: Uint8Array; readonly codeHash: Uint8Array }
  | { readonly kind: 'hash'; readonly number: bigint }
  /** The trie nodes on the paths to these accounts and slots. */
  | { readonly kind: 'nodes'; readonly paths: readonly AccessListEntry[] }

/** `expected`: what the call will read, as earlier calls let expect, without what the thread has; null: not known. */
export type ValueRequest = {
  readonly missing: MissingValue
  readonly expected: readonly AccessListEntry[] | null
}

/** `account` null: there is none. */
export type ProvedValue =
  | {
      readonly kind: 'account'
      readonly stateRoot: Uint8Array
      readonly address: Uint8Array
      readonly account: AccountState | null
    }
  | {
      readonly kind: 'slot'
      readonly storageRoot: Uint8Array
      readonly position: Uint8Array
      readonly value: Uint8Array
    }
  | { readonly kind: 'code'; readonly codeHash: Uint8Array; readonly code: Uint8Array }
  | { readonly kind: 'hash'; readonly number: bigint; readonly hash: Uint8Array }
  | { readonly kind: 'nodes'; readonly nodes: readonly Uint8Array[] }

/** The wanted value is among `values`, or `failure` states why not. */
export type ValueReply = {
  readonly values: readonly ProvedValue[]
  readonly failure: PackedFailure | null
}
