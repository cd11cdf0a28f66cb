// hardhat_getAutomine []: true if each transaction makes a block.
// Tested by test/api/dev-methods-started.test.ts
import * as wire from '../../open-rpc/types.ts'
import { parseArguments } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const hardhatGetAutomine = devMethods<null>({
  names: ['hardhat_getAutomine', 'anvil_getAutomine'],
  summary: 'Whether each transaction makes a block.',
  params: [],
  result: wire.flag,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run: async (_input, sendOrder) => (await sendOrder({ kind: 'state' })).mining.auto,
})
