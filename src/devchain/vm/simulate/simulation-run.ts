// One simulation under way.
// Tested by src/devchain/vm/simulate/simulate.test.ts
import type { StateManagerInterface } from '@ethereumjs/common'
import type { BlockSimulation } from '../../../chain/computation.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { TraceBudget } from '../trace/tracer.ts'
import type { TimeSlice } from '../time-slice.ts'
import type { BlockHashes } from '../vm-over-state.ts'

/** What the blocks of one simulation share. */
export type SimulationRun = {
  readonly rules: ChainRules
  readonly simulation: BlockSimulation
  /** Knows its root after each block. */
  readonly state: StateManagerInterface
  readonly hashOf: BlockHashes['hashOf']
  readonly turn: TimeSlice
  readonly answer: TraceBudget
  /** What is left of the gas that one request may use. */
  gasLeft: bigint
}
