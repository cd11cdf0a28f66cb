// evm_increaseTime [seconds]: advances the clock of the chain. Returns its offset from real time, as decimal text like hardhat;
// anvil_ returns a number.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const evmIncreaseTime = devMethods<bigint>({
  names: ['evm_increaseTime', 'anvil_increaseTime'],
  summary: 'Adds seconds to the clock of the chain.',
  params: [requiredParam('seconds', wire.amount)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseTimeOrGas)])[0],
  async run(seconds, sendOrder, _call, name) {
    const { blocks } = await sendOrder({ kind: 'increase-time', seconds })
    return name.startsWith('anvil_') ? Number(blocks.offset) : blocks.offset.toString()
  },
})
