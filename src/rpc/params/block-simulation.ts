// The first argument of eth_simulateV1 (geth's simOpts): blocks, each with overrides and calls.
// Tested by src/rpc/params/params.test.ts
import { Fault } from '../../base/fault.ts'
import type { RequestedBlock } from '../../chain/computation.ts'
import { type CallArguments, readCallRequest } from './call-request.ts'
import { type Reading, readBoolean, readList, readMembers, readOptional } from './arguments.ts'
import { readSimulatedFields, readStateOverrides } from './overrides.ts'

/** Also the maximum of blocks from the first to the last number. */
const blocksMax = 256
/** In all blocks together. */
const callsMax = 5_000

export type SimulationInput = {
  readonly blocks: readonly (Omit<RequestedBlock, 'calls'> & {
    readonly calls: readonly CallArguments[]
  })[]
  readonly traceTransfers: boolean
  readonly validation: boolean
  readonly fullTransactions: boolean
}

/** Throws `bad_params`, `over_blocks`. */
export function parseBlockSimulation(value: unknown, position: number): SimulationInput {
  const reading = { position, path: 'simOpts' }
  const members = readMembers(value, reading, 'ethapi.simOpts')
  const flag = (name: string) => readOptional(members, name, reading, readBoolean) ?? false
  const blocks = readOptional(members, 'blockStateCalls', reading, readBlocks) ?? []
  if (blocks.length === 0) throw new Fault('bad_params', { detail: 'empty input' })
  const calls = blocks.reduce((sum, block) => sum + block.calls.length, 0)
  if (calls > callsMax) {
    throw new Fault('over_blocks', { detail: `too many calls: ${calls} > ${callsMax}` })
  }
  return {
    blocks,
    traceTransfers: flag('traceTransfers'),
    validation: flag('validation'),
    fullTransactions: flag('returnFullTransactions'),
  }
}

function readBlocks(value: unknown, reading: Reading): SimulationInput['blocks'] {
  if (Array.isArray(value) && value.length > blocksMax) throw new Fault('over_blocks')
  return readList(value, reading, '[]ethapi.simBlock', (item) => {
    const members = readMembers(item, reading, 'ethapi.simBlock')
    const block = readOptional(members, 'blockOverrides', reading, readSimulatedFields)
    const state = readOptional(members, 'stateOverrides', reading, readStateOverrides)
    return {
      block: block ?? {},
      state: state ?? [],
      calls: readOptional(members, 'calls', reading, readCalls) ?? [],
    }
  })
}

function readCalls(value: unknown, reading: Reading): readonly CallArguments[] {
  return readList(value, reading, '[]ethapi.TransactionArgs', readCallRequest)
}
