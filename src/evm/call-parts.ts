// Dependencies of every call, estimate and trace, on the embedded chain and on proved state.
// Tested by src/devchain/engine/engine.test.ts, test/calls/proved-calls.test.ts
import type { Common } from '@ethereumjs/common'
import type { Header } from '../codec/ethereum/header.ts'
import type { ChainRules } from './chain-rules.ts'
import type { PrecompileChanges } from './precompiles/op-precompiles.ts'
import type { TimeSlice } from './time-slice.ts'
import type { StateVm } from './vm-over-state.ts'

/** `callGasMax`: default and maximum gas limit of a call. */
export type CallParts = {
  readonly rules: ChainRules
  readonly callGasMax: bigint
  readonly states: States
}

/** Access to the states that calls run on. */
type States = {
  /** Throws `unknown_block`. */
  headerOf(blockHash: Uint8Array): Header
  /** An EVM on the state after `header`, under the rules `common` and `precompiles`. Throws `no_state`. */
  open(parts: {
    readonly common: Common
    readonly precompiles: PrecompileChanges | null
    readonly header: Header
    readonly slice: TimeSlice
  }): Promise<StateVm>
}
