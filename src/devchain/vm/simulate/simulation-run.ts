// One simulation under way.
// Tested by src/devchain/vm/simulate/simulate.test.ts
import type { MerkleStateManager } from '@ethereumjs/statemanager'
import type { BlockSimulation } from '../../../chain/computation.ts'
import type { StoredParts } from '../open-state.ts'
import type { TraceBudget } from '../trace/tracer.ts'
import type { TimeSlice } from '../time-slice.ts'

/** What the blocks of one simulation share. */
export type SimulationRun = {
  readonly parts: StoredParts
  readonly simulation: BlockSimulation
  readonly state: MerkleStateManager
  readonly hashOf: (number: bigint) => Promise<Uint8Array>
  readonly turn: TimeSlice
  readonly answer: TraceBudget
  /** What is left of the gas that one request may use. */
  gasLeft: bigint
}
