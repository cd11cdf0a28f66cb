// evm_setNextBlockTimestamp [seconds]: sets the time of the next block; later blocks continue from it.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const evmSetNextBlockTimestamp = devMethods<bigint>({
  names: ['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'],
  summary: 'Sets the time of the next block, in seconds.',
  params: [requiredParam('timestamp', wire.amount)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseTimeOrGas)])[0],
  async run(nextTimestamp, sendOrder, _call, name) {
    await sendOrder({ kind: 'plan', blocks: { nextTimestamp } })
    return name.startsWith('anvil_') ? null : nextTimestamp.toString()
  },
})
