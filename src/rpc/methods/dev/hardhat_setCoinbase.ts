// hardhat_setCoinbase [address]: sets the fee recipient from the next block on. eth_coinbase [] returns it.
// Tested by test/api/dev-methods-started.test.ts
import { toHex } from '../../../base/hex.ts'
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
  async run(coinbase, sendOrder, _call, name) {
    await sendOrder({ kind: 'plan', blocks: { coinbase } })
    return done(name)
  },
})

/** Keys without `devMethods`, and other networks, get the refusal of a node that does not mine. */
export const ethCoinbase = devMethods<null>({
  names: ['eth_coinbase'],
  summary: 'The fee recipient of new blocks of the embedded chain.',
  params: [],
  result: wire.address,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run: async (_input, sendOrder) => toHex((await sendOrder({ kind: 'state' })).coinbase),
})
