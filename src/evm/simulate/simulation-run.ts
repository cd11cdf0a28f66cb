// State of one simulation in progress.
// Tested by src/evm/simulate/simulate.test.ts
import type { StateManagerInterface } from '@ethereumjs/common'
import type { BlockSimulation } from '../../chain/computation.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { TraceBudget } from '../trace/tracer.ts'
import type { TimeSlice } from '../time-slice.ts'
import type { BlockHashes } from '../vm-over-state.ts'

/** Shared by the blocks of one simulation. */
export type SimulationRun = {
  readonly rules: ChainRules
  readonly simulation: BlockSimulation
  /** Can compute its root after each block. */
  readonly state: StateManagerInterface
  readonly hashOf: BlockHashes['hashOf']
  readonly slice: TimeSlice
  readonly budget: TraceBudget
  /** Gas left of the limit for one request. */
  gasLeft: bigint
}
