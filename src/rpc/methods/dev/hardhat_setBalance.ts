// hardhat_setBalance [address, wei]: sets the balance in a separate block.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAmount } from '../../params/amount.ts'
import { parseAddress, parseArguments, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

type Input = { readonly address: Uint8Array; readonly balance: bigint }

export const hardhatSetBalance = devMethods<Input>({
  names: ['hardhat_setBalance', 'anvil_setBalance'],
  summary: 'Sets the balance of an account, in wei.',
  params: [requiredParam('address', wire.address), requiredParam('balance', wire.amount)],
  result: wire.anything,
  parse(params) {
    const [address, balance] = parseArguments(params, [
      required(parseAddress),
      required(parseAmount),
    ])
    return { address, balance }
  },
  addresses: ({ address }) => [address],
  async run(change, sendOrder, { labels }, name) {
    labels.block(await sendOrder({ kind: 'change', changes: [change] }))
    return done(name)
  },
})
