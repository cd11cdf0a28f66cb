// evm_setBlockGasLimit [gas]: sets the gas limit from the next block on.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseArguments, refuseArgument, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

/** Yellow Paper, 4.4.4. */
const gasLimitMin = 5000n

export const evmSetBlockGasLimit = devMethods<bigint>({
  names: ['evm_setBlockGasLimit', 'anvil_setBlockGasLimit'],
  summary: 'Sets the gas limit of new blocks.',
  params: [requiredParam('gasLimit', wire.gasLimit)],
  result: wire.flag,
  parse: (params) => parseArguments(params, [required(parseGasLimit)])[0],
  async run(gasLimit, sendOrder) {
    await sendOrder({ kind: 'plan', blocks: { gasLimit } })
    return true
  },
})

function parseGasLimit(value: unknown, position: number): bigint {
  const gasLimit = parseTimeOrGas(value, position)
  if (gasLimit >= gasLimitMin) return gasLimit
  throw refuseArgument(position, `a gas limit of ${gasLimit}, at least ${gasLimitMin} is needed`)
}
