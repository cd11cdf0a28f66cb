// anvil_autoImpersonateAccount [flag]: as hardhat_impersonateAccount for every account.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseArguments, parseFlag, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const anvilAutoImpersonateAccount = devMethods<boolean>({
  names: ['anvil_autoImpersonateAccount'],
  summary: 'Lets every account send transactions without a signature.',
  params: [requiredParam('enabled', wire.flag)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseFlag)])[0],
  async run(on, sendOrder, _call, name) {
    await sendOrder({ kind: 'impersonate', address: null, on })
    return done(name)
  },
})
