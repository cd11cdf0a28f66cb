// hardhat_impersonateAccount [address]: eth_sendTransaction accepts transactions from the account without a signature, until
// hardhat_stopImpersonatingAccount or a restart of the server.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAddress, parseArguments, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const hardhatImpersonateAccount = devMethods<Uint8Array>({
  names: ['hardhat_impersonateAccount', 'anvil_impersonateAccount'],
  summary: 'Lets an account send transactions without a signature.',
  params: [requiredParam('address', wire.address)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseAddress)])[0],
  addresses: (address) => [address],
  async run(address, sendOrder, _call, name) {
    await sendOrder({ kind: 'impersonate', address, on: true })
    return done(name)
  },
})

/** Hardhat returns whether the account was impersonated. */
export const hardhatStopImpersonatingAccount = devMethods<Uint8Array>({
  names: ['hardhat_stopImpersonatingAccount', 'anvil_stopImpersonatingAccount'],
  summary: 'Ends what hardhat_impersonateAccount began.',
  params: [requiredParam('address', wire.address)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseAddress)])[0],
  addresses: (address) => [address],
  async run(address, sendOrder, _call, name) {
    const was = await sendOrder({ kind: 'impersonate', address, on: false })
    return name.startsWith('anvil_') ? null : was
  },
})
