// evm_setAutomine [flag]: turns on or off a block for each transaction. Survives a restart.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseArguments, parseFlag, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const evmSetAutomine = devMethods<boolean>({
  names: ['evm_setAutomine', 'anvil_setAutomine'],
  summary: 'Sets whether each transaction makes a block.',
  params: [requiredParam('enabled', wire.flag)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseFlag)])[0],
  async run(auto, sendOrder, _call, name) {
    await sendOrder({ kind: 'plan', mining: { auto } })
    return done(name)
  },
})
