// hardhat_setCode [address, code]: sets the code in a separate block.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAddress, parseArguments, parseBytes, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

type Input = { readonly address: Uint8Array; readonly code: Uint8Array }

export const hardhatSetCode = devMethods<Input>({
  names: ['hardhat_setCode', 'anvil_setCode'],
  summary: 'Sets the code of an account.',
  params: [requiredParam('address', wire.address), requiredParam('code', wire.bytes)],
  result: wire.anything,
  parse(params) {
    const [address, code] = parseArguments(params, [required(parseAddress), required(parseBytes)])
    return { address, code }
  },
  addresses: ({ address }) => [address],
  async run(change, sendOrder, { labels }, name) {
    labels.block(await sendOrder({ kind: 'change', changes: [change] }))
    return done(name)
  },
})
