// eth_simulateV1 [simulation, block?]: simulates blocks of calls on top of a block. Label `trusted`; behind upstreams Cairn runs
// them on proved state.
// Tested by test/api/simulate-started.test.ts, test/calls/proved-simulations.test.ts
import { simulationParams } from '../../../chain/call-json.ts'
import { callsOf } from '../../../chain/network.ts'
import { renderSimulatedBlock } from '../../../chain/simulated-block-object.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { optional, parseArguments, required } from '../../params/arguments.ts'
import { latestBlock, parseBlockParameter } from '../../params/block-parameter.ts'
import { parseBlockSimulation, type SimulationInput } from '../../params/block-simulation.ts'
import { addressesOfCalls } from '../../params/called-addresses.ts'
import { requestFor } from '../../params/call-input.ts'
import { completeRead } from '../../../chain/read.ts'

export const ethSimulateV1: RpcMethod<SimulationInput & { readonly block: BlockParameter }> = {
  name: 'eth_simulateV1',
  summary: 'Blocks of calls, one upon the other, on top of a block.',
  params: [requiredParam('simulation', wire.simulation), optionalParam('block', wire.block)],
  result: wire.list(wire.object),
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'trace',
    data: 'simulation',
    units: 1000,
    block: { at: 1, form: 'object' },
    calls: 'simulated',
  },
  bundle: {
    block: ({ block }) => block,
    params: ({ blocks, fullTransactions, ...flags }, blockHash) => {
      const requested = blocks.map((one) => ({
        ...one,
        calls: one.calls.map(({ request }) => request),
      }))
      return simulationParams({ blocks: requested, ...flags }, blockHash, fullTransactions)
    },
  },
  parse(params) {
    const [simulation, block] = parseArguments(params, [
      required(parseBlockSimulation),
      optional(parseBlockParameter, latestBlock),
    ])
    return { ...simulation, block }
  },
  addresses({ blocks }) {
    const requests = blocks.flatMap(({ calls }) => calls.map(({ request }) => request))
    const overrides = blocks.flatMap(({ state }) => state)
    return addressesOfCalls(requests, overrides)
  },
  async run({ blocks, traceTransfers, validation, fullTransactions, block }, call) {
    const { network, caller, signal, labels } = call
    const requestedBlocks = blocks.map((one) => ({
      ...one,
      calls: one.calls.map((it) => requestFor(it, network)),
    }))
    const simulation = { blocks: requestedBlocks, traceTransfers, validation }
    const base = await completeRead(call.resolve(block), call.signal)
    const { calls, level } = callsOf(network, 'eth_simulateV1')
    labels.level(level)
    const simulated = await calls.simulate({ block: base, simulation }, caller, signal)
    return simulated.map((one) => renderSimulatedBlock(one, fullTransactions))
  },
}
