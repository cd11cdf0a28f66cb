// evm_setTime [seconds]: sets the clock of the chain to this time. Returns the difference to the old time, as anvil does.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const evmSetTime = devMethods<bigint>({
  names: ['evm_setTime', 'anvil_setTime'],
  summary: 'Sets the clock of the chain, in seconds.',
  params: [requiredParam('timestamp', wire.amount)],
  result: wire.integer,
  parse: (params) => parseArguments(params, [required(parseTimeOrGas)])[0],
  async run(time, sendOrder) {
    const before = await sendOrder({ kind: 'state' })
    const after = await sendOrder({ kind: 'set-time', time })
    return Number(after.blocks.offset - before.blocks.offset)
  },
})
