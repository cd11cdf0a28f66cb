// Messages between the request thread and the proved-call thread. Everything is structured-clonable; all values are proved by
// the request thread.
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
  /** True: the thread requests every value and uses no cache, so that a proof bundle can record it. */
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

/** `expected`: predicted reads of the call (learned-sets.ts) that the thread does not have; null: no prediction. */
export type ValueRequest = {
  readonly missing: MissingValue
  readonly expected: readonly AccessListEntry[] | null
}

/** `account` null: proved absent. */
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

/** `values` includes the missing value, unless there is a `failure`. */
export type ValueReply = {
  readonly values: readonly ProvedValue[]
  readonly failure: PackedFailure | null
}
