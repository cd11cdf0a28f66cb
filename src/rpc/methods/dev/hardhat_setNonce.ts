// hardhat_setNonce [address, nonce]: sets the nonce in a separate block and drops pool transactions below it. Hardhat refuses a
// nonce below the current one, anvil accepts it.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseAddress, parseArguments, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

type Input = { readonly address: Uint8Array; readonly nonce: bigint }

export const hardhatSetNonce = devMethods<Input>({
  names: ['hardhat_setNonce', 'anvil_setNonce'],
  summary: 'Sets the nonce of an account.',
  params: [requiredParam('address', wire.address), requiredParam('nonce', wire.amount)],
  result: wire.anything,
  parse(params) {
    const [address, nonce] = parseArguments(params, [
      required(parseAddress),
      required(parseTimeOrGas),
    ])
    return { address, nonce }
  },
  addresses: ({ address }) => [address],
  async run(change, sendOrder, { labels }, name) {
    const nonceRises = name.startsWith('hardhat_')
    labels.block(await sendOrder({ kind: 'change', changes: [change], nonceRises }))
    return done(name)
  },
})
