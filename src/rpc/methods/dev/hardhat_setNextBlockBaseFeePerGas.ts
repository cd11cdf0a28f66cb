// hardhat_setNextBlockBaseFeePerGas [wei]: sets the base fee of the next block; later ones are computed from it.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const hardhatSetNextBlockBaseFeePerGas = devMethods<bigint>({
  names: ['hardhat_setNextBlockBaseFeePerGas', 'anvil_setNextBlockBaseFeePerGas'],
  summary: 'Sets the base fee of the next block, in wei.',
  params: [requiredParam('baseFee', wire.amount)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseTimeOrGas)])[0],
  async run(nextBaseFee, sendOrder, _call, name) {
    await sendOrder({ kind: 'plan', blocks: { nextBaseFee } })
    return done(name)
  },
})
