// eth_simulateV1: blocks that would follow a block of the chain, each on the state that the one before has
// left. Nothing of them is kept.
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import type { Header } from '../../../codec/ethereum/header.ts'
import type { BlockSimulation, SimulatedBlock } from '../../../chain/computation.ts'
import { hashAt, headerOf, openState } from '../open-state.ts'
import type { StoredParts } from '../open-state.ts'
import { TraceBudget } from '../trace/tracer.ts'
import type { TimeSlice } from '../time-slice.ts'
import { planBlocks } from './plan-blocks.ts'
import { simulateBlock } from './simulate-block.ts'

export type SimulateTask = {
  readonly blockHash: Uint8Array
  readonly simulation: BlockSimulation
}

/** Throws as evm-executor.ts, Executor.simulate. */
export async function simulate(
  parts: StoredParts,
  { blockHash, simulation }: SimulateTask,
  turn: TimeSlice,
): Promise<readonly SimulatedBlock[]> {
  const base = headerOf(parts, blockHash)
  const planned = planBlocks(base, simulation.blocks)
  const made: { readonly header: Header; readonly hash: Uint8Array }[] = []
  const hashOf = async (number: bigint): Promise<Uint8Array> => {
    if (number === base.number) return blockHash
    if (number < base.number) {
      return (await hashAt(parts.index, parts.fork, number)) ?? new Uint8Array(32)
    }
    return made.find(({ header }) => header.number === number)?.hash ?? new Uint8Array(32)
  }
  const { state } = await openState(parts, { common: parts.rules.at(base), header: base, turn })
  const answer = new TraceBudget()
  const run = { parts, simulation, state, hashOf, turn, answer, gasLeft: parts.callGasMax }
  const blocks: SimulatedBlock[] = []
  for (const block of planned) {
    await turn.look()
    const simulated = await simulateBlock(
      run,
      block,
      made.at(-1) ?? { header: base, hash: blockHash },
    )
    const { header } = simulated
    made.push({ header: decodeHeader(header), hash: keccak256(header) })
    blocks.push(simulated)
  }
  return blocks
}
