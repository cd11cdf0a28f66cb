// eth_simulateV1: simulates blocks that follow a block of the chain, each on the state of the previous one. They are not stored.
// Tested by src/evm/simulate/simulate.test.ts, test/calls/proved-simulations.test.ts
import { keccak256 } from '../../codec/hash/keccak.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import type { BlockSimulation, SimulatedBlock } from '../../chain/computation.ts'
import { TraceBudget } from '../trace/tracer.ts'
import type { TimeSlice } from '../time-slice.ts'
import { planBlocks } from './plan-blocks.ts'
import { simulateBlock } from './simulate-block.ts'
import type { SimulationRun } from './simulation-run.ts'

/** Start of a simulation: `header` is the block before, `state` its state, `hashOf` returns hashes of the blocks before it. */
export type SimulationBase = Pick<SimulationRun, 'rules' | 'state' | 'hashOf'> & {
  readonly callGasMax: bigint
  readonly header: Header
  readonly hash: Uint8Array
}

/** Throws as `EvmExecutor.simulate`, and the errors of reading the state. */
export async function simulate(
  base: SimulationBase,
  simulation: BlockSimulation,
  slice: TimeSlice,
): Promise<readonly SimulatedBlock[]> {
  const { rules, callGasMax, header: first, hash: firstHash, state } = base
  const planned = planBlocks(first, simulation.blocks)
  const simulatedHeaders: { readonly header: Header; readonly hash: Uint8Array }[] = []
  const hashOf = async (number: bigint): Promise<Uint8Array> => {
    const hash =
      number === first.number
        ? firstHash
        : number < first.number
          ? await base.hashOf(number)
          : simulatedHeaders.find(({ header }) => header.number === number)?.hash
    return hash ?? new Uint8Array(32)
  }
  const budget = new TraceBudget()
  const run = { rules, simulation, state, hashOf, slice, budget, gasLeft: callGasMax }
  const blocks: SimulatedBlock[] = []
  for (const block of planned) {
    await slice.yieldIfDue()
    const simulated = await simulateBlock(
      run,
      block,
      simulatedHeaders.at(-1) ?? { header: first, hash: firstHash },
    )
    const { header } = simulated
    simulatedHeaders.push({ header: decodeHeader(header), hash: keccak256(header) })
    blocks.push(simulated)
  }
  return blocks
}
