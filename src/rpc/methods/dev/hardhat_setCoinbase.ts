// hardhat_setCoinbase [address]: fee recipient of the blocks from the next one on.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAddress, parseArguments, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const hardhatSetCoinbase = devMethods<Uint8Array>({
  names: ['hardhat_setCoinbase', 'anvil_setCoinbase'],
  summary: 'Sets the fee recipient of new blocks.',
  params: [requiredParam('address', wire.address)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseAddress)])[0],
  async run(coinbase, give, _call, name) {
    await give({ kind: 'plan', blocks: { coinbase } })
    return done(name)
  },
})
